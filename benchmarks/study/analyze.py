"""Analyze the results of the study: paired differences from plain batches, ranks over data sets, and the picture.

    python benchmarks/study/analyze.py              print the tables
    python benchmarks/study/analyze.py --write      also update README.md and the picture
    python benchmarks/study/analyze.py --steps 50   print the tables of a run with 50 steps

The methods are those of J. Demsar, "Statistical comparisons of classifiers over multiple data sets", 2006, and, for
splits that share rows, of C. Nadeau and Y. Bengio, "Inference for the generalization error", 2003.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import pandas as pd
from objectives import BY_TASK, RANKING
from matplotlib import pyplot
from run_study import N_STEPS, RESULTS, read_sizes
from scipy import stats
from training import Cell

FOLDER = Path(__file__).resolve().parent
PICTURE = FOLDER / "difference.png"
KINDS = ("stratified", "at least 4", "equal shares", "over", "weighted", "downsampled")
# Rows to test on, over rows to train on.
TEST_OVER_TRAIN = 0.5 / 0.375


class Estimate(NamedTuple):
    """A mean with an interval of 95 %, and the number of what it is the mean of."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ({self.low:+.4f} to {self.high:+.4f})" if self.n > 1 else f"{self.mean:+.4f}"


def results(n_steps: int = N_STEPS) -> pd.DataFrame:
    """Return the results of a number of steps, a row per split, with the share of the rarest class of the data set."""
    table = pd.read_csv(RESULTS)
    sizes = pd.DataFrame(read_sizes().values())[["data", "task", "rarest"]].astype({"rarest": float})
    chosen = table["rate"].notna() & (table["steps"] == n_steps)
    return table[chosen].merge(sizes, on="data", how="left", validate="many_to_one")


def estimate(differences: Any, *, share_rows: bool = False) -> Estimate:
    """Return the mean and Student's interval, which is wider if the values are of splits that share rows."""
    values = np.asarray(differences, dtype=float)
    n = len(values)
    if n < 2:
        return Estimate(float(values.mean()), np.nan, np.nan, n)
    variance = values.var(ddof=1) * (1 / n + (TEST_OVER_TRAIN if share_rows else 0))
    reach = stats.t.ppf(0.975, n - 1) * np.sqrt(variance)
    return Estimate(float(values.mean()), float(values.mean() - reach), float(values.mean() + reach), n)


def differences(table: pd.DataFrame, measure: str, first: str, second: str = "plain") -> pd.Series:
    """Return the measure with one kind of batches minus that with another, for each run that has both."""
    keys = ["data", "loss", "batch_size", "seed", "split"]
    wide = table[table["batches"].isin([first, second])].pivot(index=keys, columns="batches", values=measure)
    if not {first, second} <= set(wide.columns):
        return pd.Series(dtype=float, index=pd.MultiIndex.from_tuples([], names=keys))
    return (wide[first] - wide[second]).dropna()


def over_splits(of_runs: pd.Series) -> Estimate:
    """Return the mean over the splits of a data set of the means over the seeds of each."""
    return estimate(of_runs.groupby("split").mean(), share_rows=True)


def over_data_sets(of_runs: pd.Series) -> Optional[Estimate]:
    """Return the mean over data sets of the means over the runs of each."""
    means = of_runs.groupby("data").mean()
    return estimate(means) if len(means) else None


def table_of(table: pd.DataFrame, measure: str, title: str, losses: dict[str, list[int]]) -> str:
    """Return a table of the differences of each kind from plain batches."""
    lines = [f"| {title}: loss, rows in a batch | " + " | ".join(KINDS) + " |", "| --- |" + " --- |" * len(KINDS)]
    for loss, sizes in losses.items():
        for size in sizes:
            part = table[(table["loss"] == loss) & (table["batch_size"] == size)]
            if part.empty:
                continue
            cells = []
            for kind in KINDS:
                found = over_data_sets(differences(part, measure, kind))
                cells.append(f"{found}, {found.n}" if found else "")
            lines.append(f"| {loss}, {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


class Ranks(NamedTuple):
    """Mean ranks over data sets, 1 for the best, the least difference that matters, and Friedman's p-value."""

    means: pd.Series
    critical: float
    p_value: float
    n_data_sets: int


def ranks(part: pd.DataFrame, measure: str, kinds: tuple[str, ...]) -> Ranks:
    """Rank kinds of batches on each data set that has all of them."""
    means = part[part["batches"].isin(kinds)].groupby(["data", "batches"])[measure].mean().unstack().dropna()
    placed = means[list(kinds)].rank(axis=1, ascending=False)
    n, k = placed.shape
    critical = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n))
    return Ranks(placed.mean().sort_values(), float(critical), float(stats.friedmanchisquare(*means.T.values)[1]), n)


def lost_table(table: pd.DataFrame) -> str:
    """Return the share of steps without a loss, by data set, with batches of 32 rows."""
    part = table[(table["loss"] == "AUM") & (table["batch_size"] == 32)]
    lost = (part["lost"] / part["steps"]).groupby([part["data"], part["batches"]]).mean().unstack()
    auc = part.groupby(["data", "batches"])["auc"].mean().unstack()
    chosen = lost[lost["plain"] > 0.001].sort_values("plain", ascending=False)
    lines = ["| data | lost, plain | lost, stratified | AUC plain | plain, refilled | stratified | over |"]
    lines.append("| --- |" + " --- |" * 6)
    for name, line in chosen.iterrows():
        values = auc.loc[name]
        kinds = ("plain", "plain, refilled", "stratified", "over")
        cells = [f"{values[kind]:.3f}" for kind in kinds]
        lines.append(f"| {name} | {line['plain']:.1%} | {line['stratified']:.1%} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(table: pd.DataFrame) -> Any:
    """Draw the differences of each data set, side by side in the order of the share of its rarest class."""
    figure, axis = pyplot.subplots(figsize=(6.2, 4.4), layout="tight")
    part = table[(table["loss"] == "cross-entropy") & (table["batch_size"] == 32) & (table["task"] != "regression")]
    rarest = part.groupby("data")["rarest"].first().sort_values()
    labels = {"stratified": "stratified, without repeats", "at least 4": "at least 4 rows, rare rows repeated"}
    for kind, color, marker, shift in (("stratified", "#0072b2", "o", -0.17), ("at least 4", "#d55e00", "s", 0.17)):
        found = differences(part, "auc", kind).groupby("data").agg(over_splits)
        means = [each.mean for each in found]
        reach = [each.high - each.mean for each in found]
        style = {"color": color, "capsize": 2, "markersize": 4, "linewidth": 1}
        axis.errorbar(
            rarest.index.get_indexer(found.index) + shift, means, reach, fmt=marker, label=labels[kind], **style
        )
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_xticks(range(len(rarest)), [f"{100 * share:.2g}" for share in rarest], rotation=90, fontsize=9)
    axis.set_xlabel("rows of the rarest class (%): one place for each data set", fontsize=11)
    axis.set_ylabel("AUC minus that with plain batches", fontsize=11)
    axis.legend(frameon=False, fontsize=11)
    return figure


def rare_table(table: pd.DataFrame) -> str:
    """Return the AUC with plain batches, and the differences from it, where batches have no room for a rare class."""
    kinds = [kind for kind in KINDS if kind != "downsampled"]
    lines = ["| data, rarest class | loss, rows in a batch | plain | " + " | ".join(kinds) + " |"]
    lines.append("| --- |" + " --- |" * (len(kinds) + 2))
    losses = table["loss"].isin(["cross-entropy", "AUM", "contrastive"])
    for (name, loss, size), part in table[losses].groupby(["data", "loss", "batch_size"], sort=False):
        plain = part.loc[part["batches"] == "plain", "auc"]
        cells = [f"{name}, {part['rarest'].iloc[0]:.2%}", f"{loss}, {size}", f"{plain.mean():.3f}"]
        for kind in kinds:
            found = differences(part, "auc", kind)
            cells.append(str(over_splits(found)) if len(found) else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def tables(table: pd.DataFrame) -> str:
    """Return the tables of README.md."""
    has_room = table["rarest"] * table["batch_size"] >= 1
    binary = table[has_room & (table["task"] == "binary")]
    sizes = sorted(table["batch_size"].unique())
    entropy = {"cross-entropy": sizes}
    by_measure = {
        "precision": ("average precision", {**entropy, "AUM": sizes}),
        "log_loss": ("log loss, corrected", entropy),
        "log_loss_raw": ("log loss, as it is", entropy),
        "calibration": ("calibration error, corrected", entropy),
        "calibration_raw": ("calibration error, as it is", entropy),
        "worst_recall": ("recall of the worst class", {**entropy, "class-weighted": sizes}),
    }
    cells_done = table.drop_duplicates(list(Cell._fields))
    parts = [
        f"{len(cells_done):,} cells of the grid have results: "
        + ", ".join(
            f"{n:,} with {size} rows and seed {seed}"
            for (size, seed), n in cells_done.groupby(["batch_size", "seed"]).size().items()
        )
        + ".",
        "Two classes, of which the rarer one fills at least a row of a batch on average. Differences from plain "
        "batches: the mean over data sets, its interval of 95 %, and the number of data sets. No interval on this page "
        "is corrected for the number of comparisons: of 100 differences that are 0, some 5 have an interval without 0.",
        table_of(binary, "auc", "AUC", {loss: sizes for loss in BY_TASK["binary"]}),
        *(table_of(binary, measure, title, losses) for measure, (title, losses) in by_measure.items()),
        "The same for data sets of several classes.",
        table_of(table[has_room & (table["task"] == "classes")], "auc", "AUC", {**entropy, "contrastive": sizes}),
        "Data sets whose rarest class fills less than a row of a batch on average: the AUC with plain batches, and the "
        "differences from it, with intervals of 95 % over splits.",
        rare_table(table[~has_room & (table["task"] != "regression")]),
        "Steps of AUM that are lost because the batch of 32 rows has one class only, and the AUC.",
        lost_table(table[table["task"] == "binary"]),
        "The regression `houses`: differences of the absolute error of all rows, and of the worst bin.",
        table_of(table[table["task"] == "regression"], "error", "error", {"squared": sizes}),
        table_of(table[table["task"] == "regression"], "worst_error", "error of the worst bin", {"squared": sizes}),
    ]
    return "\n\n".join(parts)


def outcomes(table: pd.DataFrame) -> str:
    """Return the numbers that the hypotheses are about, a line for each."""

    def chosen(loss: str, size: int, task: str = "binary") -> pd.DataFrame:
        return table[(table["loss"] == loss) & (table["batch_size"] == size) & (table["task"] == task)]

    def shown(part: pd.DataFrame, measure: str, first: str, second: str = "plain") -> str:
        found = differences(part, measure, first, second)
        if not len(found):
            return "none"
        means = found.groupby("data").mean()
        if len(means) == 1:
            return f"{over_splits(found)}, {over_splits(found).n} splits"
        return f"{over_data_sets(found)}, {len(means)} data sets, from {means.min():+.4f} to {means.max():+.4f}"

    entropy, larger = chosen("cross-entropy", 32), chosen("cross-entropy", 128)
    common = entropy[entropy["rarest"] >= 0.01]
    rarer = entropy[entropy["rarest"] < 0.1]
    several = chosen("contrastive", 32, "classes")
    lines = [f"H1 {shown(common, 'auc', 'stratified')}"]
    for loss in RANKING:
        part = chosen(loss, 32)
        lost = (part["lost"] / part["steps"])[part["batches"] == "plain"].groupby(part["data"]).mean()
        part = part[part["data"].isin(lost.index[lost > 0.1])]
        others = part[part["data"] != "shuttle_rare"]
        for first, second in (("plain", "plain, refilled"), ("stratified", "plain"), ("stratified", "plain, refilled")):
            lines.append(f"H2 {loss}, {first} - {second}: {shown(part, 'auc', first, second)}")
            lines.append(f"H2 {loss}, {first} - {second}, without shuttle_rare: {shown(others, 'auc', first, second)}")
            rare = part[part["data"] == "shuttle_rare"]
            lines.append(f"H2 {loss}, {first} - {second}, shuttle_rare: {shown(rare, 'auc', first, second)}")
    for name in ("shuttle_rare", "shuttle"):
        part = table[(table["data"] == name) & (table["loss"] == "cross-entropy") & (table["batch_size"] == 32)]
        for kind in ("stratified", "over", "weighted"):
            lines.append(f"H3 {name}, {kind}: {shown(part, 'auc', kind)}")
    lines.append(f"H4 {shown(entropy, 'auc', 'equal shares', 'over')}")
    lines.append(f"H5 {shown(entropy, 'auc', 'weighted', 'over')}")
    for measure in ("log_loss_raw", "log_loss"):
        lines.append(f"H6 {measure}: {shown(entropy, measure, 'over')}")
    lines.append(f"H7 over: {shown(rarer, 'worst_recall', 'over')}")
    pair = table[table["loss"].isin(["cross-entropy", "class-weighted"]) & (table["batches"] == "plain")]
    pair = pair[(pair["task"] == "binary") & (pair["batch_size"] == 32)]
    by_loss = pair.assign(batches=pair["loss"], loss="")
    for name, part in (
        ("class weights", by_loss[by_loss["rarest"] < 0.1]),
        ("class weights, at least a row of the rarest class", by_loss[by_loss["rarest"] * 32 >= 1]),
    ):
        lines.append(f"H7 {name}: {shown(part, 'worst_recall', 'class-weighted', 'cross-entropy')}")
    for size, part in ((32, entropy), (128, larger)):
        found = differences(part[part["rarest"] >= 0.01], "auc", "stratified").groupby("data").mean()
        lines.append(f"H8 {size}: mean absolute difference {found.abs().mean():.4f}")
    for name, part in several.groupby("data"):
        for kind in ("stratified", "over", "weighted"):
            lines.append(f"H9 {name}, {part['rarest'].iloc[0]:.2%}, {kind}: {shown(part, 'auc', kind)}")
    glass = chosen("cross-entropy", 32, "classes").query("data == 'glass'")
    lines.append(f"H9 glass, cross-entropy, stratified: {shown(glass, 'auc', 'stratified')}")
    numbers = chosen("squared", 32, "regression")
    for kind in ("equal shares", "over", "weighted"):
        for measure in ("worst_error", "error"):
            found = differences(numbers, measure, kind)
            lines.append(f"H10 {kind}, {measure}: {over_splits(found) if len(found) else 'none'}")
    lines.append(f"H11 {shown(common, 'auc', 'downsampled')}")
    found = ranks(entropy, "auc", ("plain", "stratified", "over", "weighted"))
    lines.append(f"Ranks {found.means.round(2).to_dict()}, critical {found.critical:.2f}, p = {found.p_value:.3f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Analyze the results of the study.")
    parser.add_argument("--write", action="store_true", help="update README.md and the picture")
    parser.add_argument("--steps", type=int, default=N_STEPS, help="the results to read (default: %(default)s)")
    options = parser.parse_args()
    table = results(options.steps)
    if table.empty:
        parser.exit(1, f"There are no results of {options.steps} steps.\n")
    text = tables(table)
    print(text, outcomes(table), sep="\n\n")
    if options.write:
        page = (FOLDER / "README.md").read_text(encoding="utf-8")
        begin, end = "<!-- made by analyze.py: begin -->", "<!-- made by analyze.py: end -->"
        page = re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", page, flags=re.DOTALL)
        (FOLDER / "README.md").write_text(page, encoding="utf-8")
        draw(table).savefig(PICTURE, dpi=160)


if __name__ == "__main__":
    main()
