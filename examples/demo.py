"""The demo: plain and stratified batches of published and of real data, in Python and in R.

    python examples/demo.py

It prints each comparison and whether it holds, and writes tables and a plot to a folder. `make demo` runs it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.batches import Batches
from pystrat.report import batch_counts, plot_batch_counts
from pystrat.stratified.sampler import StratifiedBatchSampler

DATA = Path(__file__).resolve().parents[1] / "data"
BATCH_SIZE = 100
SEED = 1


@dataclass(frozen=True)
class Delivered:
    """The rows that a DataLoader delivered in one epoch, and the labels counted batch by batch."""

    rows: Batches
    counts: pd.DataFrame


class Report:
    """Prints, saves tables, and remembers whether every check held."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.all_hold = True

    def title(self, text: str) -> None:
        print(f"\n{text}\n{'-' * len(text)}")

    def line(self, text: str = "") -> None:
        print(text)

    def check(self, claim: str, holds: bool) -> None:
        print(f"  [{'yes' if holds else 'NO '}] {claim}")
        self.all_hold = self.all_hold and holds

    def save(self, name: str, table: pd.DataFrame) -> None:
        table.set_axis(table.index + 1).rename_axis("batch").to_csv(self.folder / f"{name}.csv")


def run_demo(folder: Path, *, with_r: bool = True) -> bool:
    """Run the demo, with R if it is there, save its tables and its plot, and return whether every check held.

    Raises
    ------
    ImportError
        If torch or matplotlib is missing; the message says how to install them.
    """
    _need("torch", "pip install 'pystrat[torch]', or apt install python3-torch")
    _need("matplotlib", "pip install 'pystrat[plot]', or apt install python3-matplotlib")
    report = Report(folder)
    r_problem = _r_problem() if with_r else "It is left out."
    if r_problem is not None:
        report.line("The R half is not available; this is the Python half of the demo.\n" + r_problem)
    simulated = _show_simulated(report, with_r=r_problem is None)
    survey = _show_survey(report, with_r=r_problem is None)
    report.title("Result")
    if r_problem is not None:
        report.line("The R half is not available: nothing above was compared with R.\n" + r_problem)
    report.line("Every check above holds." if report.all_hold else "A check above does NOT hold.")
    _show_end(report, simulated, _save_plot(report, simulated, survey), with_r=r_problem is None)
    return report.all_hold


def _need(module: str, advice: str) -> None:
    try:
        __import__(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"The demo needs {module}, which is not installed: {advice}.") from error


def _r_problem() -> Optional[str]:
    """Return what is missing for the R half and what to do about it; None if nothing is."""
    from rbridge import RError, RNotAvailableError, r_status
    from rbridge.session import session

    status = r_status()
    if not status.bridge_works:
        return str(status)
    try:
        session()
    except (OSError, RError, RNotAvailableError) as error:
        return f"{error}\n{status}"
    return None


# The published simulation ---------------------------------------------------------------------------------------------


def _show_simulated(report: Report, *, with_r: bool) -> dict[str, pd.DataFrame]:
    """Compare with every number that was published for the simulated data."""
    published = json.loads((DATA / "published.json").read_text(encoding="utf-8"))
    expected = published["simulated"]
    labels = np.zeros(expected["rows"], dtype=np.int64)
    labels[: expected["positives"]] = 1
    report.title(f"Simulated data: {len(labels):,} rows, {labels.sum()} of them positive, batches of {BATCH_SIZE}")
    plain = _deliver(_shuffled_loader(labels))
    stratified = _deliver(_stratified_loader(labels, sampler := StratifiedBatchSampler(labels, 3, seed=SEED)))
    _summarise(report, {"plain shuffling": plain.counts[1], "stratified, m = 3": stratified.counts[1]})
    _check_published_plain(report, plain.counts[1], published["plain_shuffle_after_torch_manual_seed_1"])
    _check_published_stratified(report, stratified, labels, published["stratified"])
    if with_r:
        _compare_with_r(report, sampler, stratified.rows)
    report.save("simulated_plain", plain.counts)
    report.save("simulated_stratified", stratified.counts)
    return {
        "Simulated, plain shuffling": plain.counts.rename(columns={1: "positive"}),
        "Simulated, stratified (m = 3)": stratified.counts.rename(columns={1: "positive"}),
    }


def _check_published_plain(report: Report, positives: pd.Series, expected: dict[str, Any]) -> None:
    counts = positives.to_numpy()
    first, last = expected["positives_in_first_batches"], expected["positives_in_last_batches"]
    without = (np.flatnonzero(counts == 0) + 1).tolist()
    quantiles = np.quantile(counts, [0, 0.25, 0.5, 0.75, 1]).tolist()
    report.line("  plain: positives in the first and the last batches: " + f"{first} ... {last}")
    report.line(f"  plain: batches without positives: {without}")
    report.check(
        "plain shuffling gives exactly the published table",
        counts[:5].tolist() == first
        and counts[-5:].tolist() == last
        and without == expected["batches_without_positives"]
        and quantiles == expected["positives_quantiles_0_25_50_75_100"],
    )


def _check_published_stratified(
    report: Report, delivered: Delivered, labels: NDArray[Any], expected: dict[str, Any]
) -> None:
    rows = delivered.rows.rows
    negatives, positives = rows[labels[rows] == 0] + 1, rows[labels[rows] == 1] + 1
    counts = expected["counts_in_every_batch"]
    report.check(
        f"stratified: {expected['n_batches']} batches of {counts['0']} + {counts['1']} rows",
        len(delivered.counts) == expected["n_batches"]
        and bool((delivered.counts[0] == counts["0"]).all() and (delivered.counts[1] == counts["1"]).all()),
    )
    report.check(
        "stratified: the first rows and the last rows are the published ones",
        negatives[:5].tolist() == expected["first_rows_of_stratum_0_one_based"]
        and positives[-5:].tolist() == expected["last_rows_of_stratum_1_one_based"],
    )


# The survey -----------------------------------------------------------------------------------------------------------


def _show_survey(report: Report, *, with_r: bool) -> dict[str, pd.DataFrame]:
    """Show the survey: strata by autism alone, then by autism, sex and age group together."""
    path = DATA / "nsch_2017.csv.gz"
    children = pd.read_csv(path)
    autism = children["autism"]
    report.title(
        f"National Survey of Children's Health 2017: {len(children):,} children, {(autism == 'yes').sum()} ever "
        f"diagnosed with autism, {autism.isna().sum()} unanswered (never sampled)"
    )
    answered = np.flatnonzero(autism.notna())
    plain = _deliver(_shuffled_loader(autism.to_numpy(), answered))
    by_autism = StratifiedBatchSampler(autism, mean_batch_size=BATCH_SIZE, missing="drop", seed=SEED)
    columns = ["autism", "sex", "age_group"]
    by_three = StratifiedBatchSampler(
        children[columns], mean_batch_size=BATCH_SIZE, missing="drop", rare="allow", seed=SEED
    )
    delivered = {
        "plain shuffling": plain,
        "strata by autism": _deliver(_stratified_loader(autism.to_numpy(), by_autism)),
        "strata by autism, sex and age": _deliver(_stratified_loader(autism.to_numpy(), by_three)),
    }
    _summarise(report, {name: epoch.counts["yes"] for name, epoch in delivered.items()})
    _show_three_columns(report, children[columns], plain, by_three)
    for name, sampler in (("strata by autism", by_autism), ("strata by autism, sex and age", by_three)):
        report.check(f"{name}: every answered child exactly once", _each_once(delivered[name].rows, answered))
    if with_r:
        _compare_native_r(report, path, ["autism"], by_autism, delivered["strata by autism"].rows, rare="error")
        third = delivered["strata by autism, sex and age"].rows
        _compare_native_r(report, path, columns, by_three, third, rare="allow")
    for name, epoch in delivered.items():
        report.save("nsch_" + name.replace(",", "").replace(" ", "_"), epoch.counts)
    return {
        "NSCH 2017, plain shuffling": plain.counts.rename(columns={"yes": "positive"}),
        "NSCH 2017, stratified by autism": delivered["strata by autism"].counts.rename(columns={"yes": "positive"}),
    }


def _show_three_columns(
    report: Report, strata: pd.DataFrame, plain: Delivered, sampler: StratifiedBatchSampler
) -> None:
    """Show the spread of the rows of each stratum over the batches, plain against stratified."""
    shuffled = batch_counts(plain.rows, strata)
    composition = sampler.plan.composition()
    table = pd.DataFrame(
        {
            "rows": composition.sum().to_numpy(),
            "plain": [_spread(shuffled[values]) for values in composition],
            "stratified": [_spread(composition[values]) for values in composition],
        },
        index=pd.Index([", ".join(values) for values in composition], name="stratum"),
    )
    report.line("\n  Rows of each stratum in a batch, fewest to most, by autism, sex and age group:")
    report.line(_indented(table.sort_values("rows").to_string()))
    report.line()


def _spread(counts: pd.Series) -> str:
    return f"{counts.min()} to {counts.max()}"


def _each_once(batches: Batches, expected: NDArray[Any]) -> bool:
    return bool(np.array_equal(np.sort(batches.rows), expected))


# Loaders --------------------------------------------------------------------------------------------------------------


def _dataset(labels: NDArray[Any]) -> list[tuple[int, Any]]:
    """Return a dataset whose items are a row position and its label."""
    return list(enumerate(labels.tolist()))


def _shuffled_loader(labels: NDArray[Any], rows: Optional[NDArray[Any]] = None) -> Any:
    """Return a DataLoader with plain shuffling, of all rows or of some."""
    import torch
    from torch.utils.data import DataLoader, RandomSampler, Subset

    dataset: Any = _dataset(labels)
    if rows is not None:
        dataset = Subset(dataset, rows.tolist())
    generator = torch.Generator()
    generator.manual_seed(SEED)
    sampler = RandomSampler(dataset, generator=generator)
    return DataLoader(dataset, batch_size=BATCH_SIZE, sampler=sampler, collate_fn=_columns)


def _stratified_loader(labels: NDArray[Any], sampler: StratifiedBatchSampler) -> Any:
    from torch.utils.data import DataLoader

    return DataLoader(_dataset(labels), batch_sampler=sampler, collate_fn=_columns)  # type: ignore[arg-type]


def _columns(items: list[tuple[int, Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    rows, labels = zip(*items)
    return np.array(rows), np.array(labels, dtype=object)


def _deliver(loader: Any) -> Delivered:
    """Run one epoch of a loader."""
    batches = list(loader)
    counts = batch_counts(batches, 1)
    return Delivered(Batches.gather(rows for rows, _ in batches), counts)


def _summarise(report: Report, positives: dict[str, pd.Series]) -> None:
    table = pd.DataFrame(
        {
            name: {
                "batches": len(counts),
                "fewest positives": counts.min(),
                "most positives": counts.max(),
                "batches without": (counts == 0).sum(),
            }
            for name, counts in positives.items()
        }
    ).T
    report.line(_indented(table.to_string()))


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


# R --------------------------------------------------------------------------------------------------------------------


def _compare_with_r(report: Report, sampler: StratifiedBatchSampler, python: Batches) -> None:
    """Compare with R's torch::dataloader and the sampler that the bridge makes."""
    import rbridge

    in_r = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), sampler.strata.n_rows)
    report.check("R's torch::dataloader delivers the same batches, row for row", _same(in_r, python))


def _compare_native_r(
    report: Report, path: Any, columns: list[str], sampler: StratifiedBatchSampler, python: Batches, *, rare: str
) -> None:
    """Compare with what R computes by itself from the same file: strata, plan and order."""
    from rbridge.torch_sampler import collect_rows_of_file

    in_r = collect_rows_of_file(
        path,
        columns,
        mean_batch_size=BATCH_SIZE,
        seed=SEED,
        missing="drop",
        rare=rare,
    )
    claim = f"R reads the file itself, strata by {', '.join(columns)}: the same {len(in_r)} batches, row for row"
    report.check(claim, _same(in_r, python))


def _same(left: Batches, right: Batches) -> bool:
    return bool(np.array_equal(left.rows, right.rows) and np.array_equal(left.offsets, right.offsets))


# The picture ----------------------------------------------------------------------------------------------------------


def _save_plot(report: Report, simulated: dict[str, pd.DataFrame], survey: dict[str, pd.DataFrame]) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    axes = plot_batch_counts({**simulated, **survey}, "positive")
    path = report.folder / "positives_per_batch.png"
    axes[0, 0].figure.savefig(path, dpi=120)
    return path


def _show_end(report: Report, simulated: dict[str, pd.DataFrame], picture: Path, *, with_r: bool) -> None:
    """Print the picture's name, and three lines: what was shown, in which languages, and what to read next."""
    plain, stratified = (int((counts["positive"] == 0).sum()) for counts in simulated.values())
    n_batches = len(next(iter(simulated.values())))
    report.line(f"\nThe picture is {picture}; the tables are beside it.")
    report.line(
        f"Of {n_batches} batches, plain shuffling left {plain} without a positive row, stratified batches "
        f"{stratified or 'none'}."
    )
    if with_r:
        verdict = "the same" if report.all_hold else "NOT all the same"
        report.line(f"Python and R were given the same seed and delivered {verdict} batches.")
    else:
        report.line("This was Python alone; with R, the demo compares the batches of both languages.")
    report.line("Read next: vignettes/stratified-batches.md, the idea step by step.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the tables and the plot")
    parser.add_argument("--python", action="store_true", help="leave out the half that needs R")
    options = parser.parse_args()
    sys.exit(0 if run_demo(options.out, with_r=not options.python) else 1)
