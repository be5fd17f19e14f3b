"""Draws the picture of the front page: the batches of one epoch, plain and stratified, as two SVG figures.

The batches are real: the samplers of the package draw them. site.css has the colors, for light and for dark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable

import numpy as np

from pystrat import StratifiedBatchSampler, epoch_permutation

N_BATCHES, BATCH_SIZE, MINIMUM, SEED = 24, 20, 2, 1
LABELS = np.repeat([1, 0], [N_BATCHES * MINIMUM, N_BATCHES * (BATCH_SIZE - MINIMUM)])

# In units of the drawing: a cell and the gap after it.
CELL, GAP = 9, 3
STEP = CELL + GAP


def write_pictures(folder: Path) -> None:
    """Write plain.svg and stratified.svg, each with its caption."""
    plain = epoch_permutation(len(LABELS), seed=SEED).reshape(N_BATCHES, BATCH_SIZE)
    stratified = StratifiedBatchSampler(LABELS, min_samples_per_stratum=MINIMUM, seed=SEED).batches(epoch=0)
    (folder / "plain.svg").write_text(figure("Plain shuffling", plain), encoding="utf-8")
    (folder / "stratified.svg").write_text(figure("Stratified", stratified), encoding="utf-8")


def figure(title: str, batches: Iterable[Any]) -> str:
    """Draw a column of cells for each batch, one for each row."""
    positives = [int(LABELS[rows].sum()) for rows in batches]
    columns = "\n".join(column(place * STEP, count) for place, count in enumerate(positives))
    low, high = min(positives), max(positives)
    counts = f"{low} to {high}" if low < high else f"exactly {low}"
    summary = f"{counts} positive rows per batch, {positives.count(0) or 'no'} batches without any"
    size = f"{len(positives) * STEP - GAP} {(BATCH_SIZE + 1) * STEP}"
    return (
        f'<figure>\n<svg viewBox="0 0 {size}" role="img" aria-label="{title}: {summary}">\n{columns}\n</svg>\n'
        f"<figcaption><strong>{title}</strong><br>{summary}</figcaption>\n</figure>\n"
    )


def column(left: int, n_positive: int) -> str:
    """Draw a batch: its positive rows at the bottom, and a cross below it if it has none."""
    kinds = ["other"] * (BATCH_SIZE - n_positive) + ["positive"] * n_positive
    cells = [
        f'<rect class="{kind}" x="{left}" y="{place * STEP}" width="{CELL}" height="{CELL}" rx="1.5"/>'
        for place, kind in enumerate(kinds)
    ]
    if n_positive == 0:
        top, right, bottom = BATCH_SIZE * STEP, left + CELL, BATCH_SIZE * STEP + CELL
        cells.append(f'<path class="none" d="M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}"/>')
    return "".join(cells)
