"""What pystrat gives for the inputs of golden vectors, in the form in which their files have it."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterable, Union

import numpy as np
import pandas as pd

from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    PerLabelBatchSampler,
    PrioritizedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    bin_target,
    correct_probabilities,
    epoch_permutation,
    published_class_weights,
    stratified_split,
)
from tests.reference import golden_tree
from tests.reference.golden_groups import labels_of as of_rows
from tests.reference.golden_per_label import labels_of_case
from tests.reference.golden_vectors import as_in_r, cut, labels_of, labels_of_training, values_of
from tests.reference.golden_weighted import made

Case = dict[str, Any]


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
    plan, n_rows = sampler.plan, sampler.strata.n_rows
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


def training(run: str, given: Case) -> Case:
    minimum, seed = given["min_samples_per_stratum"], given["seed"]
    sampler = StratifiedBatchSampler(labels_of_training()[run], minimum, seed=seed)
    return {
        "min_samples_per_stratum": minimum,
        "seed": seed,
        "n_batches": len(sampler),
        "composition": dict(zip(sampler.plan.names, map(cut, sampler.plan.rows_of_strata().T))),
        "epochs": [cut(sampler.batches(epoch).rows) for epoch in range(len(given["epochs"]))],
    }


def bins(case: Case) -> Case:
    found = bin_target(values_of(case["values"]), case["n_bins"])
    return {"names": list(found.categories), "codes": cut(found.codes)}


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


def tree(case: Case) -> Case:
    columns = {
        name: pd.to_datetime(pd.Series(given["days"])) if isinstance(given, dict) and "days" in given else of_file
        for (name, given), of_file in zip(case["table"].items(), golden_tree.table_of(case).values())
    }
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        try:
            sampler = TreeBatchSampler(columns, golden_tree.moments_in(case["spec"]), **case["parameters"])
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


def weights_by_epoch(case: Case) -> WeightedBatchSampler:
    weights = {int(epoch): values for epoch, values in case["weights"].items()}
    given = {name: case[name] for name in ("replacement", "n_batches", "seed")}
    return WeightedBatchSampler(weights, case["batch_size"], **given)


def rows_by_epoch(case: Case) -> EpochSubsetBatchSampler:
    rows = {int(epoch): values for epoch, values in case["rows"].items()}
    given = {"method": case["method"], "rows": rows, "seed": case["seed"]}
    return EpochSubsetBatchSampler(case["n_rows"], case["sample"], 3, **given)


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
    sampler = PerLabelBatchSampler(labels_of_case(case), **case["parameters"])
    epochs = [sampler.batches(epoch) for epoch in case["epochs"]]
    drawn = [{"sizes": cut(np.diff(batches.offsets)), "rows": cut(batches.rows)} for batches in epochs]
    return {"n_batches": len(sampler), "epochs": drawn}


def subset(case: Case) -> Case:
    sampler = StrataSubsetBatchSampler(labels_of(case["strata"]), **case["parameters"])
    return ranged(sampler, case["epochs"])


SAMPLERS: dict[str, Callable[[Case], BatchSampler]] = {
    "rows_by_epoch": rows_by_epoch,
    "weights_by_epoch": weights_by_epoch,
}
GIVEN: dict[str, Callable[[Case], Any]] = {
    "batches": stratified,
    "bins": bins,
    "downsampling": downsampling,
    "groups": groups,
    "mixed_groups": groups,
    "per_label": per_label,
    "split": split,
    "subsets": subset,
    "tree": tree,
    "wanted": stratified,
    "weighted": weighted,
}
