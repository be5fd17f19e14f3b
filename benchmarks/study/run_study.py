"""The study: train all cells of the grid that have no results yet, the most informative first.

    python benchmarks/study/run_study.py    the whole grid
    python benchmarks/study/run_study.py --minutes 30    what can be done in half an hour; again to continue
    python benchmarks/study/run_study.py --seeds 1 --batch-sizes 32 128 --data default survey

Results are in results.csv.gz. An interrupted cell begins again.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import time
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

import batches
import data
import objectives
import torch
from training import Cell, Training

RESULTS = Path(__file__).resolve().parent / "results.csv.gz"
SIZES = RESULTS.with_name("sizes.csv")
COLUMNS = (
    *Cell._fields,
    *("split", "steps", "rate", "lost", "requested", "auc", "precision", "log_loss", "log_loss_raw", "calibration"),
    *("calibration_raw", "worst_recall", "error", "worst_error", "seconds", "sampler_seconds"),
)
# The number of seeds of each batch size: a cell of 512 rows takes ten times as long as one of 32.
SEEDS = {32: 5, 128: 5, 512: 1}
# The contrastive loss compares all pairs of rows: a cell of 512 rows takes up to 7 minutes.
LARGEST_CONTRASTIVE = 128
N_STEPS = 500
# The first losses and kinds of batches, which are trained before the others.
FIRST_LOSSES, FIRST_KINDS = 2, 5


def cells(entries: Iterable[data.Entry], seeds: Mapping[int, int]) -> list[Cell]:
    """Return the grid in the order of training, so that whatever is done when a run ends covers all data sets.

    `seeds` maps each batch size to its number of seeds.
    """
    found = []
    for entry in entries:
        for loss_place, loss in enumerate(objectives.BY_TASK[entry.task]):
            for kind_place, kind in enumerate(batches.KINDS):
                if kind == "plain, refilled" and loss not in objectives.RANKING:
                    continue
                is_late = kind_place >= FIRST_KINDS and kind != "plain, refilled"
                stage = (loss_place >= FIRST_LOSSES) + 2 * is_late
                for place, size in enumerate(sorted(seeds)):
                    if loss == "contrastive" and size > LARGEST_CONTRASTIVE:
                        continue
                    for seed in range(seeds[size]):
                        found.append(((seed, 2 * place + stage, place), Cell(entry.name, loss, kind, size, seed)))
    return [cell for _, cell in sorted(found, key=lambda item: item[0])]


def read() -> list[dict[str, str]]:
    """Return the lines of the results."""
    if not RESULTS.exists():
        return []
    with gzip.open(RESULTS, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def append(lines: Iterable[dict[str, Any]]) -> None:
    """Add lines to the results, in one writing, which is a part of its own in the compressed file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if not RESULTS.exists():
        writer.writeheader()
    writer.writerows(lines)
    with open(RESULTS, "ab") as file:
        file.write(gzip.compress(text.getvalue().encode("utf-8"), mtime=0))


def done_cells(n_steps: int) -> Iterator[Cell]:
    """Yield the cells that have results of this number of steps."""
    for line in read():
        if line["split"] == "0" and int(line["steps"]) == n_steps:
            yield Cell(line["data"], line["loss"], line["batches"], int(line["batch_size"]), int(line["seed"]))


def read_sizes() -> dict[str, dict[str, str]]:
    """Return the sizes of the data sets that were trained on: rows, strata, and the share of the rarest stratum."""
    if not SIZES.exists():
        return {}
    with open(SIZES, encoding="utf-8", newline="") as file:
        return {line["data"]: line for line in csv.DictReader(file)}


def note_size(found: data.DataSet) -> None:
    """Write the sizes of a data set, which the analysis needs."""
    sizes = read_sizes()
    sizes[found.name] = {
        "data": found.name,
        "task": found.task,
        "rows": str(len(found.strata)),
        "strata": str(found.n_strata),
        "rarest": f"{found.rarest:.6f}",
    }
    with open(SIZES, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(sizes[found.name]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sizes.values())


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    entries = [entry for entry in data.catalog() if not options.data or entry.name in options.data]
    sizes = options.batch_sizes or SEEDS
    grid = cells(entries, {size: options.seeds or SEEDS.get(size, 1) for size in sizes})
    done_before = set(done_cells(options.steps))
    left = [cell for cell in grid if cell not in done_before]
    print(f"{len(grid)} cells, {len(grid) - len(left)} done.", flush=True)
    by_name = {entry.name: entry for entry in entries}
    loaded: dict[str, tuple[data.DataSet, list[data.Split]]] = {}
    end = time.monotonic() + 60 * options.minutes
    for place, cell in enumerate(left):
        if time.monotonic() > end:
            break
        if cell.data not in loaded:
            found = data.load(by_name[cell.data])
            loaded[cell.data] = found, found.splits()
            note_size(found)
        append(_results(cell, *loaded[cell.data], options.steps))
        done = len(grid) - len(left) + place + 1
        print(f"{done} of {len(grid)}: {cell.data}, {cell.loss}, {cell.batches}, {cell.batch_size}", flush=True)


def _results(cell: Cell, found: data.DataSet, splits: list[data.Split], n_steps: int) -> list[dict[str, Any]]:
    """Return the results of a cell, or lines without any if its sampler refuses the rows."""
    try:
        training = Training(cell, found, splits, n_steps)
    except ValueError:
        return [{**cell._asdict(), "split": 0, "steps": n_steps}]
    training.run()
    return training.results()


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(description="Train the cells of the grid that have no results yet.")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no cell after this time")
    parser.add_argument("--steps", type=int, default=N_STEPS, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--seeds", type=int, help="the number of seeds (default: that of the grid)")
    parser.add_argument("--batch-sizes", type=int, nargs="+", metavar="SIZE")
    parser.add_argument("--data", nargs="+", metavar="NAME", help="names of data sets in catalog.csv (default: all)")
    run(parser.parse_args(arguments))


if __name__ == "__main__":
    main()
