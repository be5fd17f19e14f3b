"""The golden vectors of declared trees, in JSON that every language reads, computed without pystrat.

``python -m tests.reference.golden_tree`` writes ``tests/golden/tree.json`` afresh. Only the messages of refusals and
warnings are written by hand, in the file: add a case with its own there before the script meets it.
"""

from __future__ import annotations

import json
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import yaml

from tests.reference.golden_vectors import GOLDEN, cut, joined
from tests.reference.naive_tree import NaiveEpochs, comparable

ABOUT = (
    "'table': columns; {'days': [...]} and {'times': [...]} are moments, times with their zone, and null is "
    "missing. 'spec': a nested specification, in which {'day': ...} and {'time': ...} are moments, or YAML. "
    "'parameters' are those of the sampler. 'rows', counted from 0, 'offsets' and 'aux' are those of the epochs, in"
    " turn; 'warnings' are those of the constructor. 'error' is the message, with the name that the sampler has in "
    "Python; 'yaml' marks those of a reader of YAML, up to what it has got. Long lists are cut as in batches.json. "
    "Written by tests/reference/golden_tree.py."
)
EXAMPLES = Path(__file__).parents[2] / "examples" / "tree"
MODES = ("replacement", "sequential", "shuffle")
AUXILIARY = {
    "angle": "uniform(-10, 10)",
    "shift": " normal( 2 , 0.5 ) ",
    "crop": "integers(-3, 3)",
    "large": "integers(-9007199254740991, 0)",
    "side": "choice(['left', \"ri\\'ght\", 'ü'])",
    "flip": "cycle([true, False, false])",
    "size": "choice([1, 2.5, -1e3])",
    "step": "counter()",
}
PARTS: dict[str, Any] = {
    "text": ["a", "b", None, "a", "c"],
    "number": [1.0, 2.0, None, 4.0, -1.0],
    "flag": [True, False, True, True, False],
    "day": {"days": ["2020-01-01", "2020-06-01", None, "2021-01-01", "2020-01-01"]},
    "time": {"times": ["2020-01-01T12:00:00+01:00", "2020-01-01T12:00:00.25Z", None, "0900-03-01T00:00:00Z", None]},
    "mass": [1.0, 0.0, 2.0, 5.0, 1.0],
    "accents": ["é", "z", "Z", "ﬀ", "𝔞"],
    "whole": [3, 1, 3, 2, 1],
}


def leaf(**keys: Any) -> dict[str, Any]:
    return {"children": [{"name": "leaf", **keys}]}


def cases() -> Iterator[dict[str, Any]]:
    """Yield the inputs of all cases."""
    yield from _examples()
    yield from _any_trees()
    yield from _conditions()
    yield from _auxiliary()
    yield from _refused_nodes()
    yield from _refused_auxiliary()
    yield from _refused_tables()
    yield from _refused_lengths()
    yield from _yaml()
    yield from _unnamed()


def _case(table: Any, spec: Any, batch_size: int = 4, epochs: Any = (0, 3), **parameters: Any) -> dict[str, Any]:
    parameters = {"batch_size": batch_size, **{"length": 12, "seed": 7, **parameters}}
    return {"table": table, "spec": spec, "parameters": parameters, "epochs": list(epochs)}


def _unnamed() -> Iterator[dict[str, Any]]:
    """Nodes without a name, which have that of their value, column or place, and clones in the published spelling."""
    children = [
        {"column": "text", "value": "a", "mode": "shuffle"},
        {"column": "whole", "value": 2, "mode": "shuffle"},
        {"column": "number", "op": "lt", "value": 2.5, "mode": "shuffle"},
        {"column": "flag", "value": False, "mode": "shuffle"},
        {"column": "accents", "value": "for_each", "mode": "shuffle"},
        {
            "column": "text",
            "value": "for_each",
            "missing": "drop",
            "children": [{"column": "flag", "value": "for_each"}],
        },
        {"column": "text", "op": "in", "value": ["b", "c"], "mode": "shuffle"},
    ]
    spec = {"mode": "sequential", "children": children}
    yield _case(PARTS, spec)
    for length in ("a", "2", "2.5", "FALSE", "7", "accents", "text", "6"):
        yield _case(PARTS, spec, length=length)
    yield _case({"text": ["for_each", "b"]}, leaf(column="text", value="for_each", op="eq"))
    yield _case({"text": ["for_each", "b"]}, leaf(column="text", value="for_each", for_each=False))
    for keys in ({"value": "for_each"}, {"value": [1, 2], "op": "in"}, {"op": "isnull"}, {"value": "a", "repeat": 2}):
        yield _case(PARTS, leaf(**keys))
    yield _case(PARTS, {"column": "text", "value": "for_each"})
    yield _case(PARTS, {"children": [{"column": "text", "value": "a"}, {"column": "text", "value": "a"}]})
    yield _case(PARTS, "children:\n  - {column: text, value: for_each, missing: drop}\n")


def _examples() -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(1)
    protein = np.minimum(random.geometric(0.15, 300), 20)
    active = (random.random(300) < 0.1) & (protein <= 12)
    table = {
        "label": np.where(active, "active", "inactive").tolist(),
        "source": np.where(~active & (random.random(300) < 0.5), "synthetic", "measured").tolist(),
        "protein": [f"P{number:02}" for number in protein],
    }
    for path in sorted(EXAMPLES.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        yield _case(table, text, 10, length=200, epochs=(0, 1, 6_700_000))
        yield _case(table, text, 10, length=95, drop_last=True, persistent=True, epochs=(2, 0, 1, 1))
    yield _case(table, (EXAMPLES / "3-undersampling.yaml").read_text(encoding="utf-8"), 10, length="active")
    yield _case(table, (EXAMPLES / "6-siamese-pairs.yaml").read_text(encoding="utf-8"), 10, length="root")


def _any_trees() -> Iterator[dict[str, Any]]:
    """Trees of any shape; some have nothing to draw."""
    random = np.random.default_rng(2)
    for number in range(120):
        n_rows = int(random.integers(1, 30))
        table = {
            "letter": ["a", *random.choice(["a", "b", "c", "d", None], n_rows).tolist()],
            "number": [0.0, *random.choice([0.0, 1.0, 2.5, -3.0, None], n_rows).tolist()],
            "flag": [True, *(bool(value) for value in random.integers(0, 2, n_rows))],
            "mass": [1.0, *random.choice([0.5, 1.0, 3.0, 0.1], n_rows).tolist()],
        }
        auxiliary = {"auxiliary": {"u": "uniform(0, 1)", "n": "counter()"}} if number % 4 == 0 else {}
        spec = {**_any_node(random, "root", 0), **auxiliary}
        persistent = bool(random.integers(0, 2))
        yield _case(table, spec, int(random.integers(1, 6)), length=25, persistent=persistent, epochs=(1, 0))


def _any_node(random: Any, name: str, depth: int) -> dict[str, Any]:
    def one_of(*choices: Any) -> Any:
        return choices[int(random.integers(0, len(choices)))]

    node: dict[str, Any] = {"name": name, "mode": one_of(*MODES), "repeat": one_of(1, 1, 1, 2, 3)}
    if depth:
        node.update(_any_selection(one_of))
        node["prune"] = one_of("individual", "individual", "individual", "parent")
        if one_of(True, False):
            node["weight"] = one_of(0.25, 1, 3, "proportional(count)", "proportional(mass)")
    if depth < 3 and random.integers(0, depth + 1) == 0:
        node["children"] = [_any_node(random, f"{name}{place}", depth + 1) for place in range(one_of(1, 2, 3))]
    elif node["mode"] == "replacement" and one_of(True, False):
        node["row_weight"] = "mass"
    return node


def _any_selection(one_of: Any) -> dict[str, Any]:
    column = one_of("letter", "number", "flag")
    values = {"letter": ["a", "b", "zz"], "number": [0, 1.0, 2.5], "flag": [True, False]}[column]
    operator = one_of("for_each", "for_each", "eq", "ne", "in", "not in", "isnull", "lt", "ge", "between", None)
    if operator is None or (column == "flag" and operator in ("lt", "ge", "between")):
        return {}
    if operator == "for_each":
        return {"column": column, "for_each": True, "missing": one_of("stratum", "drop")}
    if operator == "isnull":
        return {"column": column, "op": operator}
    if operator in ("in", "not in", "between"):
        return {"column": column, "op": operator, "value": sorted([one_of(*values), one_of(*values)])}
    return {"column": column, "op": operator, "value": one_of(*values)}


def _conditions() -> Iterator[dict[str, Any]]:
    for keys in (
        {"column": "text", "value": "a"},
        {"column": "text", "op": "!=", "value": "a"},
        {"column": "text", "op": "in", "value": ["b", "c", "zz"]},
        {"column": "text", "op": "not in", "value": ["b"]},
        {"column": "text", "op": "isnull"},
        {"column": "text", "op": ">", "value": "a"},
        {"column": "accents", "op": ">", "value": "Z"},
        {"column": "accents", "op": "<=", "value": "é"},
        {"column": "accents", "op": "between", "value": ["é", "ﬀ"]},
        {"column": "number", "value": 1},
        {"column": "number", "op": "<=", "value": 2},
        {"column": "number", "op": "between", "value": [-1, 2]},
        {"column": "number", "op": "isnull"},
        {"column": "whole", "op": ">", "value": 1.5},
        {"column": "flag", "value": True},
        {"column": "flag", "op": "ne", "value": True},
        {"column": "day", "value": {"day": "2020-01-01"}},
        {"column": "day", "op": "gt", "value": {"time": "2020-01-01T00:00:00Z"}},
        {"column": "day", "op": "in", "value": [{"day": "2020-01-01"}, {"day": "2021-01-01"}]},
        {"column": "time", "op": "<", "value": {"day": "2020-01-01"}},
        {"column": "time", "op": "between", "value": [{"time": "2020-01-01T11:00:00Z"}, {"day": "2020-01-02"}]},
    ):
        yield _case(PARTS, {"mode": "sequential", **keys}, length="root", epochs=(0,))
    for column in PARTS:
        for missing in ("stratum", "drop", "error"):
            children = [{"name": "each", "column": column, "for_each": True, "missing": missing, "mode": "shuffle"}]
            yield _case(PARTS, {"mode": "shuffle", "children": children}, length="root", epochs=(0,))
    for column in ("text", "number", "flag", "day"):
        for value in (1, "1", True, {"day": "2020-01-01"}, None):
            yield _case(PARTS, leaf(column=column, value=value), epochs=())
        yield _case(PARTS, leaf(column=column, op="between", value=[1, "a"]), epochs=())
    yield _case(PARTS, leaf(column="flag", op="lt", value=True), epochs=())


def _auxiliary() -> Iterator[dict[str, Any]]:
    for persistent in (False, True):
        for spec in ({"mode": "shuffle"}, {"row_weight": "mass", "name": "top"}):
            spec = {**spec, "auxiliary": AUXILIARY}
            yield _case(PARTS, spec, 4, length=30, persistent=persistent, drop_last=True, epochs=(2, 0, 1, 5))
    yield _case(PARTS, {"auxiliary": {}})


def _refused_nodes() -> Iterator[dict[str, Any]]:
    for spec in (
        leaf(colunm="text", value="a"),
        {"weight": 1},
        {"for_each": True, "column": "text"},
        leaf(mode="random"),
        leaf(op="=~", column="text", value="a"),
        leaf(value="a"),
        leaf(op="eq"),
        leaf(column="text", weight=0.3),
        leaf(column="text", op="in"),
        {"children": [{"column": "number", "op": ">"}]},
        {"column": "text"},
        {"op": "eq"},
        {"children": [{"value": "for_each", "weight": 1}]},
        leaf(for_each=True),
        leaf(for_each=True, column="text", value="a"),
        leaf(for_each=True, column="text", op="eq"),
        leaf(for_each="yes", column="text"),
        leaf(missing="drop", column="text", value="a"),
        leaf(missing="keep", column="text", for_each=True),
        leaf(column="text", op="in", value="a"),
        leaf(column="number", op="between", value=[1, 2, 3]),
        leaf(column="number", op="isnull", value=1),
        leaf(column=3, value=1),
        leaf(weight=-1),
        leaf(weight=True),
        leaf(weight="__import__('os')"),
        leaf(weight="proportional()"),
        leaf(repeat=0),
        leaf(repeat=2.5),
        leaf(repeat="2"),
        leaf(repeat=2**31),
        leaf(prune="all"),
        leaf(prune="parent", prune_method="parent"),
        leaf(prune_method="both"),
        leaf(row_weight="mass", mode="shuffle"),
        leaf(row_weight=1),
        {"row_weight": "mass", **leaf()},
        {"children": []},
        {"children": "leaf"},
        {"children": [{"name": "a"}, {"name": "b"}, {"name": "b"}, {"name": "a"}]},
        {"children": [{"mode": "shuffle"}]},
        {"children": [{"name": ""}]},
        {"children": [{"name": 3}]},
        {"children": [{"nmae": "a"}]},
        {"children": ["leaf"]},
        {"children": [{"name": "a", "children": [{"name": "b", "auxiliary": {}}]}]},
        {"auxilary": {"x": "counter()"}},
        {"children": [{"name": "a", "column": "nowhere", "value": 1}, {"name": "b", "mode": 1}]},
        {"mode": "shuffle", "repeat": 3, "children": [{"name": "a", "weight": 2}, {"name": "b", "weight": 1}]},
        leaf(column="text", value="zz"),
        leaf(column="text", value="zz", prune="individual"),
        leaf(column="text", value="zz", prune="parent"),
        leaf(column="text", for_each=True),
        {"children": [{"name": "a", **leaf(column="text", value="zz", prune="parent")}, {"name": "b"}]},
        leaf(
            column="whole",
            for_each=True,
            children=[
                {"name": "in", "column": "text", "value": "a", "prune": "parent"},
                {"name": "out", "column": "text", "value": "c", "prune": "individual"},
            ],
        ),
        leaf(row_weight="number"),
        leaf(weight="proportional(number)"),
        leaf(weight=0),
        {"children": [{"name": "e", "column": "whole", "for_each": True, "children": [{"name": "z", "weight": 0}]}]},
    ):
        yield _case(PARTS, spec, epochs=())


def _refused_auxiliary() -> Iterator[dict[str, Any]]:
    for text in (
        "system('ls')",
        "uniform(2, 1)",
        "uniform(1)",
        "uniform(1, 2, 3)",
        "uniform(open, 1)",
        "uniform(0, 1" + "0" * 400 + ")",
        "uniform(-1.7e308, 1.7e308)",
        "normal(0, 0)",
        "normal(0, -1)",
        "integers(0, 1.5)",
        "integers(3, 1)",
        "integers(0, 9007199254740992)",
        "integers(01, 3)",
        "choice([])",
        "choice([1, 'a'])",
        "choice([true, 1])",
        "choice([[1]])",
        "choice(1)",
        "choice([1], [2])",
        "choice([9007199254740994])",
        "choice([1,, 2])",
        "choice([1 2])",
        "choice(['a)",
        "counter(1)",
        "counter",
        "counter()()",
        "x.counter()",
        "uniform(low=0, high=1)",
        "uniform(0; 1)",
        "cycle[1, 2]",
        "",
        3,
        True,
    ):
        yield _case(PARTS, {"auxiliary": {"x": text}}, epochs=())
    yield _case(PARTS, {"auxiliary": {"": "counter()"}}, epochs=())
    yield _case(PARTS, {"auxiliary": "counter()"}, epochs=())


def _refused_tables() -> Iterator[dict[str, Any]]:
    by_text = {"column": "text", "value": "a"}
    yield _case({}, {}, epochs=())
    yield _case({"x": []}, {}, epochs=())
    yield _case({"x": [1], "y": [1, 2]}, {}, epochs=())
    yield _case({"x": [1, 2], "y": ["a", "b"]}, by_text, epochs=())
    yield _case({f"column {place}": [1] for place in range(12)}, by_text, epochs=())
    yield _case({"w": [1.0, -1.0]}, leaf(row_weight="w"), epochs=())
    yield _case({"w": [1.0, None]}, leaf(row_weight="w"), epochs=())
    yield _case({"w": [0.0, 0.0]}, leaf(row_weight="w"), epochs=())
    yield _case({"w": [0.0, 1e-320]}, leaf(weight="proportional(w)"), epochs=())
    yield _case({"w": [None, None]}, leaf(weight="proportional(w)"), epochs=())
    yield _case({"w": [True, False]}, leaf(row_weight="w"), epochs=())


def _refused_lengths() -> Iterator[dict[str, Any]]:
    turns: dict[str, Any] = {"mode": "shuffle", **leaf(mode="shuffle")}
    for length in (0, -1, 1.5, True, 2**31, "laef", "", "rot"):
        yield _case(PARTS, turns, length=length, epochs=())
    each = {"name": "each", "column": "flag", "for_each": True, "mode": "shuffle"}
    gone = {"name": "gone", "column": "text", "value": "zz", "prune": "individual"}
    for length in ("each", "gone", "root", "any"):
        spec = {"mode": "shuffle", "children": [each, gone, {"name": "any"}]}
        yield _case(PARTS, spec, length=length, epochs=())
    two = [{"name": "leaf", "mode": "shuffle"}, {"name": "other", "mode": "shuffle"}]
    yield _case(PARTS, {"mode": "shuffle", "repeat": 2**31 - 1, "children": two}, length="leaf", epochs=())
    yield _case(PARTS, turns, 13, drop_last=True, epochs=())
    for parameters in ({"batch_size": 0}, {"drop_last": 1}, {"persistent": "no"}, {"seed": -1}):
        yield _case(PARTS, turns, epochs=(), **parameters)


def _yaml() -> Iterator[dict[str, Any]]:
    for text in (
        "{}",
        "column: day\nvalue: 2020-01-01\nmode: sequential\n",
        "column: time\nop: '>='\nvalue: 2020-01-01T13:00:00+01:00\nmode: sequential\n",
        "column: flag\nvalue: yes\nmode: sequential\n",
        "column: text\nop: in\nvalue: [a, 'c']\nmode: sequential\n",
        "column: number\nop: between\nvalue:\n  - -1\n  - 1.5e+0\nmode: sequential\n",
        "column: number\nop: <\nvalue: .inf\nmode: sequential\n",
        "column: whole\nvalue: 0x3\nmode: sequential\n",
        '# a comment\n---\nrepeat: 010\nauxiliary: {side: \'choice(["l", "r"])\', n: counter()}\n',
    ):
        yield _case(PARTS, text, length=12, epochs=(0,))
    for text in (
        "column: text\nvalue: yes\n",
        "column: text\nvalue:\n",
        "column: number\nvalue: 1e0\n",
        "shuffle\n",
        "- mode: shuffle\n- mode: shuffle\n",
        "children:\n  - {name: a, mod: shuffle}\n",
    ):
        yield _case(PARTS, text, epochs=())
    for text in (
        "mode: shuffle\nmode: sequential\n",
        "children:\n  - &x {name: a}\n  - *x\n",
        "mode: !!python/object/apply:os.getcwd []\n",
        "children: [\n",
        "!!map foo\n",
        "mode: shuffle\n---\nmode: shuffle\n",
        "column: day\nvalue: 2020-02-30\n",
        "column: flag\nvalue: !!bool maybe\n",
    ):
        yield {**_case(PARTS, text, epochs=()), "yaml": True}


def expected_of(case: dict[str, Any], warned: list[str]) -> dict[str, Any]:
    """Return what a case of the golden file must have as "expected", with these warnings of the constructor."""
    naive = NaiveEpochs(table_of(case), specification_of(case), case["parameters"])
    epochs = [naive.epoch(epoch) for epoch in case["epochs"]]
    return {
        "n_batches": len(naive.offsets) - 1,
        "warnings": warned,
        "rows": cut(joined(rows for rows, _ in epochs)),
        "offsets": cut(naive.offsets * len(epochs)),
        "aux": {name: [item for _, values in epochs for item in values[name]] for name in naive.functions},
    }


def table_of(case: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a case; days and times are times in UTC."""
    return {name: _column(values) for name, values in case["table"].items()}


def _column(values: Any) -> list[Any]:
    if not isinstance(values, dict):
        return list(values)
    if "times" in values:
        return [time_of(text) for text in values["times"]]
    return [text and comparable(date.fromisoformat(text)) for text in values["days"]]


def specification_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the specification of a case as a mapping."""
    spec = case["spec"]
    read: dict[str, Any] = yaml.safe_load(spec) if isinstance(spec, str) else moments_in(spec)
    return read


def moments_in(spec: Any) -> Any:
    """Return a specification with days and times in place of what stands for them in JSON."""
    if isinstance(spec, list):
        return [moments_in(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if set(spec) == {"day"}:
        return date.fromisoformat(spec["day"])
    if set(spec) == {"time"}:
        return time_of(spec["time"])
    return {key: moments_in(value) for key, value in spec.items()}


def time_of(text: Any) -> Any:
    """Return the time that a text stands for, in UTC; None if there is none."""
    if text is None:
        return None
    moment = datetime.strptime(text.replace("Z", "+00:00"), "%Y-%m-%dT%H:%M:%S" + (".%f" if "." in text else "") + "%z")
    return moment.astimezone(timezone.utc)


def as_text() -> str:
    """Return the text of the file: one case a line. Messages of refusals and warnings are kept as the file has them."""
    told = json.loads((GOLDEN / "tree.json").read_text(encoding="utf-8"))["cases"]
    known = {json.dumps(case["input"]): case["expected"] for case in told}
    lines = []
    for case in cases():
        expected = known.get(json.dumps(case), {"warnings": []})
        expected = expected if "error" in expected else expected_of(case, expected["warnings"])
        lines.append(json.dumps({"input": case, "expected": expected}))
    return '{"about": ' + json.dumps(ABOUT) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    (GOLDEN / "tree.json").write_text(as_text(), encoding="utf-8")
