"""Writes what docs/parameters.md takes from both packages: the defaults of each parameter, and a table of the samplers.

The signatures are those of Python and of the help pages of R. Only the meaning of a parameter is written by hand.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

from names import entries, python_names, short

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "parameters.md"
REQUIRED = "required"
# What users receive, and do not make.
RESULTS = {"BatchPlan", "Batches", "DrawnRow", "FilePlan", "RStatus"}
# The parameters that have a column of their own, with the title of the column, and those of all samplers.
COLUMNS = {
    "batch_size": "`batch_size`",
    "min_samples_per_stratum": "minimum",
    "mean_batch_size": "`mean_batch_size`",
    "rare": "`rare`",
    "missing": "`missing`",
    "shuffle": "`shuffle`",
}
UNLISTED = {"seed", "num_replicas", "rank"}
_ROW = re.compile(r"(?m)^\| `(\w+)` \| ([^|]+) \|.*\|$")

# The parameters of a function with their defaults, in the order of the function.
Signature = dict[str, str]


def updated(text: str, python: dict[str, Signature], r: dict[str, Signature]) -> str:
    """Return the document with the defaults and the samplers of these signatures."""
    defaults = defaults_of([*python.values(), *r.values()])
    first, heading, last = text.partition("\n## Constructors\n")
    rows = [name for name, _ in _ROW.findall(first)]
    for problem, names in {
        "add a line with the meaning of": set(defaults) - set(rows),
        "no function has": set(rows) - set(defaults),
        "two lines have": {name for name in rows if rows.count(name) > 1},
    }.items():
        if names:
            raise SystemExit(f"parameters.md: {problem} {', '.join(sorted(names))}")
    first = _ROW.sub(lambda row: f"| `{row[1]}` | {row[2]} | {', '.join(defaults[row[1]])} |", first)
    return first + heading + last.partition("\n| constructor ")[0] + "\n" + samplers_table(python)


def defaults_of(signatures: list[Signature]) -> dict[str, list[str]]:
    """Return the defaults of each parameter, as the document shows them; of equal ones, the first."""
    found: dict[str, dict[str, str]] = {}
    for signature in signatures:
        for name, default in signature.items():
            shown = default if default == REQUIRED else f"`{default}`"
            found.setdefault(name, {}).setdefault(value_of(default), shown)
    return {name: sorted(shown.values(), key=lambda text: (text != REQUIRED, text)) for name, shown in found.items()}


def value_of(default: str) -> str:
    """Return a default in one form, so that 15.0 and 15 are the same."""
    if default == REQUIRED:
        return default
    if "^" in default:
        base, power = default.split("^")
        return repr(float(base) ** float(power))
    value = ast.literal_eval(default)
    return repr(float(value) if type(value) is int else value)


def samplers_table(python: dict[str, Signature]) -> str:
    """Return the samplers with their parameters, and what both languages call them."""
    titles = ["constructor", *COLUMNS.values(), "further parameters"]
    rows = [titles, ["---"] * len(titles)]
    for entry in entries(ROOT):
        name = short(entry.python)
        if not name.endswith(("Sampler", "Stream")) or name == "BatchSampler":
            continue
        own = [each.replace("samples_per_label", "samples_per_stratum") for each in python[name]]
        names = [f"`{name}`"] + [f"`{entry.r}()`"] * bool(entry.r)
        has = ["yes" if column in own else "" for column in COLUMNS]
        further = [f"`{each}`" for each in own if each not in COLUMNS and each not in UNLISTED]
        rows.append([", ".join(names), *has, ", ".join(further)])
    return "".join("|" + "".join(f" {cell} |" if cell else " |" for cell in row) + "\n" for row in rows)


def python_signatures() -> dict[str, Signature]:
    """Return the signatures of the public functions and classes of Python."""
    found = {}
    for name in python_names():
        made = getattr(import_module(name.rpartition(".")[0]), short(name))
        if short(name) in RESULTS or inspect.isclass(made) and issubclass(made, Exception):
            continue
        parameters = inspect.signature(made).parameters.values()
        found[short(name)] = {each.name: python_default(each) for each in parameters}
    return found


def python_default(parameter: inspect.Parameter) -> str:
    return REQUIRED if parameter.default is parameter.empty else repr(parameter.default).replace("'", '"')


def r_signatures() -> dict[str, Signature]:
    """Return the signatures of the functions of R, from the usage in their help pages, as Python writes defaults."""
    found = {}
    for path in sorted((ROOT / "rbridge" / "r" / "man").glob("*.Rd")):
        usage = re.search(r"(?ms)^\\usage{\n(.*?)\n}$", path.read_text(encoding="utf-8"))
        for name, given in re.findall(r"(?ms)^(\w+)\((.*?)\)(?=\n\n|\Z)", usage[1] if usage else ""):
            arguments = re.findall(r"([\w.]+)(?: = ((?:[^,()]|\([^()]*\))+))?(?:,|\s*$)", given)
            found[name] = {each: r_default(default.strip()) for each, default in arguments if each != "..."}
    return found


def r_default(default: str) -> str:
    words = {"": REQUIRED, "NULL": "None", "TRUE": "True", "FALSE": "False"}
    return re.sub(r"(?<=\d)L$", "", re.sub(r"^c\(", "(", words.get(default, default)))


if __name__ == "__main__":
    document = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(updated(document, python_signatures(), r_signatures()), encoding="utf-8", newline="\n")
