"""What pystrat gives for the inputs of golden vectors, which R must give, too.

A case is a line of a file. To add a case, write its line without the expected result (a refused case has its message),
and run ``python -m tests.given_by_pystrat NAME ...``. Tests of the rooms compare the rules with plain models.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from datetime import date, datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, Iterable, Union

import numpy as np
import pandas as pd

import pystrat
from pystrat import (
    BatchesByLength,
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    NoDuplicatesBatchSampler,
    PerLabelBatchSampler,
    PrioritizedBatchSampler,
    ShardedStratifiedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    advise,
    bin_target,
    correct_probabilities,
    epoch_permutation,
    published_class_weights,
    stratified_split,
)
from tests.corpus.mixtures import mixture_of, write_lines
from tests.stream.sources import stream_of

GOLDEN = Path(__file__).parent / "golden"
SOURCES = json.loads((GOLDEN / "stream.json").read_text(encoding="utf-8"))  # of cases of streams without their own
CASE = re.compile(r'^( *)(\{".*\})(?=,?$)', re.MULTILINE)  # a line
WHOLE = 2000  # longer lists are cut to their head, their tail and a checksum
MODULUS = 2**31 - 1

Case = dict[str, Any]


def cut(values: Any) -> Any:
    """Return a long list as its head, its tail and the sum of (i * x_i) mod (2^31 - 1) with i from 1."""
    values = np.asarray(values, dtype=np.int64)
    if len(values) <= WHOLE:
        return values.tolist()
    checksum = int((values * np.arange(1, len(values) + 1) % MODULUS).sum() % MODULUS)
    return {"length": len(values), "head": values[:10].tolist(), "tail": values[-10:].tolist(), "checksum": checksum}


def as_in_r(message: str) -> str:
    """Return a message with the refused flag as R writes it, which the files have."""
    return message.replace("Got True instead", "Got TRUE instead").replace("Got False instead", "Got FALSE instead")


def labels_of(strata: Case) -> Any:
    """Return what a case's strata stand for: one label a row, or columns."""
    if "columns" in strata:
        return strata["columns"]
    sizes = np.array(strata["sizes"])
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    if strata["arrangement"] == "blocks":
        return stratum
    turn = np.concatenate([np.arange(size) for size in sizes])
    return stratum[np.lexsort((stratum, turn))]


def values_of(values: Any) -> list[Any]:
    """Return what a case's values stand for, None where missing."""
    if isinstance(values, dict):
        numbers = range(values["length"])
        return [i * values["multiplier"] % values["modulus"] / values["divisor"] for i in numbers]
    special = {"Inf": float("inf"), "-Inf": float("-inf"), "NaN": float("nan")}
    return [special[value["special"]] if isinstance(value, dict) else value for value in values]


def made(numbers: dict[str, int], n: int) -> list[float]:
    return [i * numbers["multiplier"] % numbers["modulus"] / numbers["divisor"] for i in range(1, n + 1)]


def with_keys(parameters: Case, labels: Any) -> Case:
    """Return parameters with the labels as keys of mappings, and as the majority; JSON and R have their texts."""
    keys = {str(label): label for label in labels}
    given = dict(parameters)
    for name, value in parameters.items():
        if isinstance(value, dict):
            given[name] = {keys.get(key, key): number for key, number in value.items()}
    if isinstance(given.get("majority"), str):
        given["majority"] = keys.get(given["majority"], given["majority"])
    return given


def stratified(case: Case) -> Case:
    labels = labels_of(case["strata"])
    texts = [] if isinstance(labels, dict) else np.unique(labels).tolist()
    sampler = StratifiedBatchSampler(labels, **with_keys(case["parameters"], texts))
    plan, n_rows = sampler.plan, len(sampler.strata.codes)
    return {
        "n_batches": plan.n_batches,
        "min_samples_per_stratum": plan.min_samples_per_stratum,
        "strata": list(plan.names),
        "counts": plan.counts.tolist(),
        "sizes": cut(plan.sizes),
        "epochs": [
            {
                "permutation": cut(epoch_permutation(n_rows, seed=sampler.seed, epoch=epoch)),
                "rows": cut(sampler.batches(epoch).rows),
            }
            for epoch in case["epochs"]
        ],
    }


def bins(case: Case) -> Case:
    found = bin_target(values_of(case["values"]), case["n_bins"])
    return {"names": list(found.categories), "codes": cut(found.codes)}


def of_rows(rows: Case) -> tuple[list[Any], list[Any]]:
    """Return the strata and the groups of a case."""
    if "groups" in rows:
        return rows["strata"], rows["groups"]
    groups = [row * rows["multiplier"] % rows["modulus"] for row in range(rows["length"])]
    by = [row // rows["divisor"] for row in range(rows["length"])] if "divisor" in rows else groups
    return [number % rows["n_strata"] for number in by], groups


def groups(case: Case) -> Case:
    strata, own = of_rows(case["rows"])
    return ranged(StratifiedGroupBatchSampler(strata, groups=own, **case["parameters"]), case["epochs"])


def ranged(sampler: Union[StrataSubsetBatchSampler, StratifiedGroupBatchSampler], epochs: Iterable[int]) -> Case:
    """Return the plan of a sampler with bounds, and its batches in some epochs."""
    table = pd.DataFrame(sampler.plan.columns, index=list(sampler.plan.names))
    return {
        "n_batches": len(sampler),
        "strata": list(table.index),
        **{name: column.tolist() for name, column in table.items()},
        "epochs": [
            {"sizes": cut(np.diff(sampler.batches(epoch).offsets)), "rows": cut(sampler.batches(epoch).rows)}
            for epoch in epochs
        ],
    }


def rows_of_epoch(sampler: TreeBatchSampler, epoch: int) -> list[Any]:
    sampler.set_epoch(epoch)
    return [row for batch in sampler for row in batch]


def moments_in(spec: Any) -> Any:
    """Return a specification whose days and times are objects, which JSON has as text."""
    if isinstance(spec, list):
        return [moments_in(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if set(spec) == {"day"}:
        return date.fromisoformat(spec["day"])
    return time_of(spec["time"]) if set(spec) == {"time"} else {key: moments_in(value) for key, value in spec.items()}


def time_of(text: Any) -> Any:
    """Return the time of a text, in UTC; None if there is none."""
    if text is None:
        return None
    moment = datetime.strptime(text.replace("Z", "+00:00"), "%Y-%m-%dT%H:%M:%S" + (".%f" if "." in text else "") + "%z")
    return moment.astimezone(timezone.utc)


def column_of(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    return pd.to_datetime(pd.Series(values["days"])) if "days" in values else [*map(time_of, values["times"])]


def tree(case: Case) -> Case:
    columns = {name: column_of(values) for name, values in case["table"].items()}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        try:
            sampler = TreeBatchSampler(columns, moments_in(case["spec"]), **case["parameters"])
        except (TypeError, ValueError) as error:
            # What a reader of YAML says of it depends on the reader and its version.
            return {"error": str(error).split(" Got ")[0] if case.get("yaml") else as_in_r(str(error))}
    epochs = [sampler.batches(epoch) for epoch in case["epochs"]]
    drawn = [row for epoch in case["epochs"] for row in rows_of_epoch(sampler, epoch)]
    return {
        "n_batches": len(sampler),
        "warnings": [str(warning.message) for warning in told],
        "rows": cut(np.concatenate([[], *(batches.rows for batches in epochs)])),
        "offsets": cut(np.concatenate([[], *(batches.offsets for batches in epochs)])),
        "aux": {name: [row.aux[name] for row in drawn] for name in sampler.auxiliary_names},
    }


def weighted(case: Case) -> Case:
    if case["kind"] == "prioritised":
        return prioritized(case)
    options = {name: case[name] for name in ("replacement", "n_batches", "seed", "num_replicas") if name in case}
    if case["kind"] == "uniform":
        uniform = UniformBatchSampler(case["n"], case["batch_size"], **options)
        return {"rows": cut(uniform.batches(case["epoch"]).rows)}
    sampler = WeightedBatchSampler(made(case["weights"], case["n"]), case["batch_size"], **options)
    sampler.set_epoch(case["epoch"])
    iterator = iter(sampler)
    rows: list[int] = []
    for batch in range(case["n_batches"]):
        for update in case["updates"]:
            if update["before"] == batch:
                changed = list(range(0, case["n"], update["step"]))
                sampler.update(changed, [update["weight"]] * len(changed))
        rows += next(iterator)
    return {"rows": cut(rows), **sampled(sampler, case)}


def sampled(sampler: Any, case: Case) -> Case:
    """Return the rows that a case draws outside epochs."""
    if "samples" not in case:
        return {}
    return {"sampled": [row for k in case["samples"] for row in sampler.sample(k).tolist()]}


def prioritized(case: Case) -> Case:
    """Return the rows of the case's epoch, and the importance weights of the last batch's."""
    names = ("alpha", "beta", "epsilon", "method", "stratified", "normalize", "capacity", "n_batches", "seed")
    options = {name: case[name] for name in names if name in case}
    sampler = PrioritizedBatchSampler(case["n"], case["batch_size"], **options)
    sampler.set_epoch(case["epoch"])
    sampler.update(range(case["n"]), [value - 1 for value in made(case["priorities"], case["n"])])
    iterator = iter(sampler)
    rows: list[int] = []
    batch: list[int] = []
    for number in range(case["n_batches"]):
        for update in case["updates"]:
            if update["before"] == number:
                changed = list(range(0, case["n"], update["step"]))
                sampler.update(changed, [update["priority"]] * len(changed))
                sampler.append(update["append"])
        batch = next(iterator)
        rows += batch
    importance_weights = [float(f"{x:.12g}") for x in sampler.importance_weights(batch)]
    return {"rows": cut(rows), "importance_weights": importance_weights, **sampled(sampler, case)}


def replay(case: Case) -> Case:
    """Return a case whose calls of a replay buffer have what the buffer then holds."""
    given = {name: case[name] for name in ("capacity", "alpha", "epsilon")}
    buffer, steps = PrioritizedBatchSampler(case["n_rows"], 2, seed=1, n_batches=4, **given), []
    for step in case["steps"]:
        found = {}
        if step["call"] == "append":
            found = {"places": buffer.append(step["count"], priorities=step["priorities"]).tolist()}
        else:
            buffer.update(step["rows"], step["priorities"], since=step["since"])
        steps.append({**step, **found, "weights": buffer.state()["weights"].tolist(), "n_added": buffer.n_added})
    return {**case, "steps": steps}


def drawn_in(sampler: BatchSampler) -> list[list[int]]:
    return [sampler.batches(epoch).rows.tolist() for epoch in range(7)]


def weights_by_epoch(case: Case) -> Case:
    weights = {int(epoch): values for epoch, values in case["weights"].items()}
    given = {name: case[name] for name in ("replacement", "n_batches", "seed")}
    return {**case, "drawn": drawn_in(WeightedBatchSampler(weights, case["batch_size"], **given))}


def rows_by_epoch(case: Case) -> Case:
    rows = {int(epoch): values for epoch, values in case["rows"].items()}
    given = {"method": case["method"], "rows": rows, "seed": case["seed"]}
    return {**case, "drawn": drawn_in(EpochSubsetBatchSampler(case["n_rows"], case["sample"], 3, **given))}


def by_length(case: Case) -> Case:
    lengths = [i * case["lengths"]["multiplier"] % case["lengths"]["modulus"] for i in range(1, case["n"] + 1)]
    replicas = case.get("num_replicas")
    inside = EpochSubsetBatchSampler(
        case["n"], case["sample"], case["sample"], seed=case["seed"], num_replicas=replicas
    )
    names = ("batch_size", "max_tokens", "window", "balance_replicas")
    sampler = BatchesByLength(inside, lengths, **{name: case[name] for name in names if name in case})
    batches = sampler.batches(case["epoch"])
    return {"rows": cut(batches.rows), "sizes": cut(np.diff(batches.offsets))}


def mixture(case: Case) -> Case:
    given = {name: value for name, value in case.items() if name not in ("lines", "epochs")}
    if isinstance(given.get("weights"), dict):
        given["weights"] = {int(epoch): weights for epoch, weights in given["weights"].items()}
    with TemporaryDirectory() as folder:
        sampler = mixture_of(write_lines(Path(folder), case["lines"]), **given)
        plans = [sampler.plan(epoch) for epoch in case["epochs"]]
        batches = [[rows.tolist() for rows in sampler.batches(epoch)] for epoch in case["epochs"]]
    return {**{name: [plan[name].tolist() for plan in plans] for name in ("drawn", "kept")}, "batches": batches}


def stream(case: Case) -> Case:
    given: Case = {"shuffle": case["seed"] is not None, "seed": case["seed"] or 0, **case["settings"]}
    sources = case.get("sources", SOURCES["sources"])
    found = stream_of(sources, SOURCES["strata"], is_counted=case["counted"], **given)
    found.set_epoch(case["epoch"])
    return {**case, "batches": [[list(row) for row in batch] for batch in found]}


def advice(case: Case) -> Case:
    given = dict(case)
    sizes = given.pop("sizes")
    found = advise(np.repeat(np.arange(len(sizes)), sizes), **given)
    return {
        **{name: found.strata[name].tolist() for name in ("mean", "variance", "too_few")},
        "minimums": found.minimums["min_samples_per_stratum"].tolist(),
        "n_batches": found.minimums["n_batches"].tolist(),
        **{name: getattr(found, name) for name in ("largest_minimum", "sampler", "reason", "python", "r")},
    }


def class_weights(case: Case) -> list[float]:
    counts = case.get("counts")
    labels = case["labels"] if counts is None else np.repeat(np.arange(len(counts)), counts)
    found = getattr(pystrat, case["function"])(labels, **case["parameters"])
    weights: list[float] = (found if counts is None else found[np.cumsum(counts) - 1]).tolist()
    return weights


def density_weights(case: Case) -> list[float]:
    weights: list[float] = getattr(pystrat, case["function"])(case["values"], **case["parameters"]).tolist()
    return weights


def downsampling(case: Case) -> Case:
    """Return the numbers and batches of a case, or its error."""
    try:
        if case["kind"] == "probabilities":
            return {"values": corrected(**case).tolist()}
        if case["kind"] == "published":
            return {"values": list(published_class_weights(case["weight"]))}
        return downsampled(case)
    except (TypeError, ValueError) as error:
        return {"error": as_in_r(str(error))}


def corrected(probabilities: Any, keep_rate: Any, columns: Any = None, classes: Any = None, **_: Any) -> Any:
    table = probabilities if columns is None else pd.DataFrame(probabilities, columns=columns)
    return correct_probabilities(table, keep_rate if classes is None else pd.Series(keep_rate, index=classes))


def by_code(sampler: DownsampledBatchSampler, numbers: pd.Series) -> list[float]:
    """Return numbers of classes in order of first appearance."""
    return [float(numbers[label]) for label in sampler.plan.strata]


def downsampled(case: Case) -> Case:
    n_rows = sum(case["counts"])
    codes = np.repeat(np.arange(len(case["counts"])), case["counts"])[np.arange(n_rows) * case["step"] % n_rows]
    labels = [case["labels"][code] for code in codes]
    sampler = DownsampledBatchSampler(labels, **with_keys(case["parameters"], case["labels"]))
    epochs = [sampler.batches(epoch) for epoch in case["epochs"]]
    return {
        "n_batches": len(sampler),
        "classes": list(sampler.plan.names),
        "kept": sampler.plan.counts.tolist(),
        "class_weights": by_code(sampler, sampler.class_weights()),
        "normalised": by_code(sampler, sampler.class_weights(normalize=True)),
        "keep_rates": by_code(sampler, sampler.keep_rates),
        "rows": cut(np.concatenate([[], *(batches.rows for batches in epochs)])),
        "offsets": cut(np.concatenate([[], *(batches.offsets for batches in epochs)])),
    }


def split(case: Case) -> Any:
    strata, groups = of_rows(case["rows"])
    parts = stratified_split(strata, groups=groups if case["grouped"] else None, **case["parameters"])
    return [cut(rows) for rows in (parts.values() if isinstance(parts, dict) else parts)]


def per_label(case: Case) -> Case:
    columns = range(case["n_labels"])
    labels = [[int((row + 3 * label) % (label + 2) == 0) for label in columns] for row in range(case["n_rows"])]
    sampler = PerLabelBatchSampler(labels, **case["parameters"])
    epochs = [sampler.batches(epoch) for epoch in case["epochs"]]
    drawn = [{"sizes": cut(np.diff(batches.offsets)), "rows": cut(batches.rows)} for batches in epochs]
    return {"n_batches": len(sampler), "epochs": drawn}


def subset(case: Case) -> Case:
    sampler = StrataSubsetBatchSampler(labels_of(case["strata"]), **case["parameters"])
    return ranged(sampler, case["epochs"])


def no_duplicates(case: Case) -> Case:
    rows = case["rows"]
    keys = rows.get("keys") or [
        [row * row * times % modulus for row in range(rows["length"])]
        for times, modulus in zip(rows["multipliers"], rows["moduli"])
    ]
    sampler = NoDuplicatesBatchSampler(dict(enumerate(keys)), **case["parameters"])
    epochs = [[batch.tolist() for batch in sampler.batches(epoch)] for epoch in (0, 6_700_000)]
    return {"n_batches": len(sampler), "epochs": epochs}


def sharded(case: Case) -> Case:
    strata = [
        [row * multiplier % case["modulus"] % case["n_strata"] for row in range(size)]
        for size, multiplier in zip(case["sizes"], case["multipliers"])
    ]
    table = [[own.count(stratum) for stratum in range(case["n_strata"])] for own in strata]
    given = {name: case[name] for name in ("min_samples_per_stratum", "shards", "seed", "scope", "shuffle")}
    local = [stratum for shard in case["shards"] for stratum in strata[shard]]
    sampler = ShardedStratifiedBatchSampler(local, counts=pd.DataFrame(table), **given)
    return {"table": table, "batches": [batch.tolist() for batch in sampler.batches(case["epoch"])]}


def of_input(give: Callable[[Case], Any]) -> Callable[[Case], Case]:
    """Return what gives a case of an input with what is expected for it."""
    return lambda case: {"input": case["input"], "expected": give(case["input"])}


GIVEN: dict[str, Callable[[Case], Case]] = {
    "replay": replay,
    "rows_by_epoch": rows_by_epoch,
    "stream": stream,
    "weights_by_epoch": weights_by_epoch,
    "advice": of_input(advice),
    "batches": of_input(stratified),
    "bins": of_input(bins),
    "class_weights": of_input(class_weights),
    "density_weights": of_input(density_weights),
    "downsampling": of_input(downsampling),
    "groups": of_input(groups),
    "lengths": of_input(by_length),
    "mixed_groups": of_input(groups),
    "mixtures": of_input(mixture),
    "no_duplicates": of_input(no_duplicates),
    "per_label": of_input(per_label),
    "sharded": of_input(sharded),
    "split": of_input(split),
    "subsets": of_input(subset),
    "tree": of_input(tree),
    "wanted": of_input(stratified),
    "weighted": of_input(weighted),
}


def completed(name: str, text: str) -> str:
    """Return the text of a file with what pystrat gives for each case that is not refused."""

    def line(found: re.Match[str]) -> str:
        case = json.loads(found[2])
        is_refused = "error" in case.get("expected", {})
        return found[1] + json.dumps(case if is_refused else GIVEN[name](case))

    return CASE.sub(line, text)


if __name__ == "__main__":
    for file in sys.argv[1:] or GIVEN:
        path = GOLDEN / f"{file}.json"
        path.write_text(completed(file, path.read_text(encoding="utf-8")), encoding="utf-8")
