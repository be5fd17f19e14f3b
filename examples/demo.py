"""The demo: plain and stratified batches of published and of real data, in Python and in R.

    python examples/demo.py

It prints each comparison and whether it holds, and writes tables and a plot to a folder. `make demo` runs it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat import Batches, StratifiedBatchSampler, batch_counts, plot_batch_counts

DATA = Path(__file__).resolve().parents[1] / "data"
BATCH_SIZE = 100
SEED = 1


class Delivered(NamedTuple):
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

    def check(self, claim: str, holds: bool) -> None:
        print(f"  [{'yes' if holds else 'NO '}] {claim}")
        self.all_hold = self.all_hold and holds

    def epochs(self, epochs: dict[str, Delivered], label: Any) -> None:
        """Summarize the rows of a label in each batch, and save all counts."""
        for name, epoch in epochs.items():
            counts = epoch.counts[label]
            print(
                f"  {name}: {len(counts)} batches with {counts.min()} to {counts.max()} positives, "
                f"{(counts == 0).sum()} without any"
            )
            table = epoch.counts.set_axis(epoch.counts.index + 1).rename_axis("batch")
            table.to_csv(self.folder / f"{name.replace(',', '').replace(' ', '_')}.csv")


def main(folder: Path, *, with_r: bool) -> bool:
    """Run the demo, with R if it is there, and return whether every check held."""
    import matplotlib

    matplotlib.use("Agg")
    report = Report(folder)
    problem = r_problem() if with_r else "R was not asked for."
    if with_r and problem is not None:
        print(f"The R half is not available; this is the Python half of the demo.\n{problem}")
    simulated = show_simulated(report, with_r=problem is None)
    survey = show_survey(report, with_r=problem is None)
    report.title("Result")
    print("Every check above holds." if report.all_hold else "A check above does NOT hold.")
    picture = folder / "positives_per_batch.png"
    plot_batch_counts({**simulated, **survey}, "positive")[0, 0].figure.savefig(picture, dpi=120)
    print(f"The picture is {picture}; the tables are beside it.")
    if problem is None:
        verdict = "the same" if report.all_hold else "NOT all the same"
        print(f"Python and R were given the same seed and delivered {verdict} batches.")
    elif with_r:
        print(f"This was Python alone; with R, the demo compares the batches of both languages.\n{problem}")
    else:
        print("This was the Python half.")
    if with_r:
        print("Read next: vignettes/stratified-batches.md, the idea step by step.")
    return report.all_hold


def r_problem() -> Optional[str]:
    """Return what is missing for the R half and what to do about it; None if nothing is."""
    from rbridge import RError, RNotAvailableError, r_status
    from rbridge.session import session

    try:
        session()
    except (OSError, RError, RNotAvailableError) as error:
        return f"{error}\n{r_status()}"
    return None


def show_simulated(report: Report, *, with_r: bool) -> dict[str, pd.DataFrame]:
    """Compare with every number that was published for the simulated data."""
    published = json.loads((DATA / "published.json").read_text(encoding="utf-8"))
    labels = np.zeros(published["simulated"]["rows"], dtype=np.int64)
    labels[: published["simulated"]["positives"]] = 1
    report.title(f"Simulated data: {len(labels):,} rows, {labels.sum()} of them positive, batches of {BATCH_SIZE}")
    sampler = StratifiedBatchSampler(labels, 3, seed=SEED)
    plain, stratified = shuffled(labels), deliver(labels, batch_sampler=sampler)
    report.epochs({"simulated plain": plain, "simulated stratified": stratified}, 1)

    counts, expected = plain.counts[1].to_numpy(), published["plain_shuffle_after_torch_manual_seed_1"]
    report.check(
        "plain shuffling gives exactly the published table",
        counts[:5].tolist() == expected["positives_in_first_batches"]
        and counts[-5:].tolist() == expected["positives_in_last_batches"]
        and (np.flatnonzero(counts == 0) + 1).tolist() == expected["batches_without_positives"]
        and np.quantile(counts, [0, 0.25, 0.5, 0.75, 1]).tolist() == expected["positives_quantiles_0_25_50_75_100"],
    )
    rows, expected = stratified.rows.rows, published["stratified"]
    in_each = expected["counts_in_every_batch"]
    report.check(
        f"stratified: {expected['n_batches']} batches of {in_each['0']} + {in_each['1']} rows",
        len(stratified.counts) == expected["n_batches"]
        and bool((stratified.counts[0] == in_each["0"]).all() and (stratified.counts[1] == in_each["1"]).all()),
    )
    report.check(
        "stratified: the first rows and the last rows are the published ones",
        (rows[labels[rows] == 0][:5] + 1).tolist() == expected["first_rows_of_stratum_0_one_based"]
        and (rows[labels[rows] == 1][-5:] + 1).tolist() == expected["last_rows_of_stratum_1_one_based"],
    )
    if with_r:
        compare_with_r(report, sampler, stratified.rows)
    return {
        "Simulated, plain shuffling": plain.counts.rename(columns={1: "positive"}),
        "Simulated, stratified (m = 3)": stratified.counts.rename(columns={1: "positive"}),
    }


def show_survey(report: Report, *, with_r: bool) -> dict[str, pd.DataFrame]:
    """Show the survey: strata by autism alone, then by autism, sex and age group together."""
    children = pd.read_csv(DATA / "nsch_2017.csv.gz")
    autism = children["autism"]
    report.title(
        f"National Survey of Children's Health 2017: {len(children):,} children, {(autism == 'yes').sum()} ever "
        f"diagnosed with autism, {autism.isna().sum()} unanswered (never sampled)"
    )
    answered = np.flatnonzero(autism.notna())
    wanted: dict[str, Any] = {"mean_batch_size": BATCH_SIZE, "missing": "drop", "rare": "allow", "seed": SEED}
    samplers = {
        "nsch strata by autism": StratifiedBatchSampler(autism, **wanted),
        "nsch strata by autism, sex and age": StratifiedBatchSampler(
            children[["autism", "sex", "age_group"]], **wanted
        ),
    }
    labels = autism.to_numpy()
    plain = shuffled(labels, answered)
    delivered = {name: deliver(labels, batch_sampler=sampler) for name, sampler in samplers.items()}
    report.epochs({"nsch plain shuffling": plain, **delivered}, "yes")
    for name, sampler in samplers.items():
        rows = delivered[name].rows
        report.check(f"{name}: every answered child exactly once", bool((np.sort(rows.rows) == answered).all()))
        if with_r:
            compare_with_r(report, sampler, rows)
    return {
        "NSCH 2017, plain shuffling": plain.counts.rename(columns={"yes": "positive"}),
        "NSCH 2017, stratified by autism": delivered["nsch strata by autism"].counts.rename(
            columns={"yes": "positive"}
        ),
    }


def shuffled(labels: NDArray[Any], rows: Optional[NDArray[Any]] = None) -> Delivered:
    """Run an epoch with plain shuffling, of all rows or of some."""
    import torch
    from torch.utils.data import SubsetRandomSampler

    generator = torch.Generator()
    generator.manual_seed(SEED)
    chosen = np.arange(len(labels)) if rows is None else rows
    return deliver(labels, batch_size=BATCH_SIZE, sampler=SubsetRandomSampler(chosen.tolist(), generator))


def deliver(labels: NDArray[Any], **options: Any) -> Delivered:
    """Run one epoch of a DataLoader over rows with their labels."""
    from torch.utils.data import DataLoader

    dataset: Any = list(enumerate(labels.tolist()))
    batches = [tuple(zip(*batch)) for batch in DataLoader(dataset, collate_fn=list, **options)]
    counts = batch_counts([(rows, np.array(of_rows, dtype=object)) for rows, of_rows in batches], 1)
    return Delivered(Batches.gather(rows for rows, _ in batches), counts)


def compare_with_r(report: Report, sampler: StratifiedBatchSampler, python: Batches) -> None:
    """Compare with R's torch::dataloader and the sampler that the bridge makes."""
    import rbridge

    in_r = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), len(sampler.strata.codes))
    same = np.array_equal(in_r.rows, python.rows) and np.array_equal(in_r.offsets, python.offsets)
    report.check(f"R's torch::dataloader delivers the same {len(python)} batches, row for row", same)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the tables and the plot")
    parser.add_argument("--python", action="store_true", help="leave out the half that needs R")
    options = parser.parse_args()
    sys.exit(0 if main(options.out, with_r=not options.python) else 1)
