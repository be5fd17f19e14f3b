"""What the counts of strata say before any training: which sampler a batch size needs, and what a minimum costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pystrat import _core
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of
from pystrat.core.strata import encode_strata, sorted_frame
from pystrat.core.value_names import Names, names_index

_MOST_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Advice:
    """What `advise` returns. Printing it shows everything.

    By the values of the strata, sorted, `strata` has their ``rows``, the ``mean`` and the ``variance`` of their rows in
    a plain batch, and ``too_few``, the share of plain batches that hold fewer than the minimum of them. `minimums` has
    the ``n_batches`` of an epoch and the ``mean_batch_size`` by ``min_samples_per_stratum``: 1, 2, 5, 10, 20 and so on
    up to the rows of the smallest stratum.
    """

    batch_size: int
    min_samples_per_stratum: int
    n_rows: int  # that have a stratum
    strata: pd.DataFrame
    minimums: pd.DataFrame
    largest_minimum: int  # in batches of at most `batch_size` rows on average; 0 if even one row is too many
    sampler: str  # the batches that fit: "plain", "stratified", "repeated", "some strata" or "weighted"
    reason: str
    python: str  # the line of code that makes the sampler of `labels`
    r: str

    def __str__(self) -> str:
        rarest = self.strata.sort_values("rows", kind="stable")[:_MOST_SHOWN]
        shown = rarest.reset_index(drop=True)
        shown.insert(0, "stratum", names_index(Names(rarest.index)))
        n_others, size = len(self.strata) - len(rarest), count_of(self.batch_size, "row")
        largest = count_of(self.largest_minimum, "row") if self.largest_minimum else "none"
        fewer = f"fewer than {count_of(self.min_samples_per_stratum, 'row')}"
        return "\n".join(
            [
                f"{count_of(self.n_rows, 'row')}, {count_of(len(self.strata), 'stratum')}, batches of {size}",
                f"\nRows in a plain batch, and the share of plain batches with {fewer}:",
                _as_text(shown),
                *([f"... and {count_of(n_others, 'stratum')} with as many rows or more"] if n_others else []),
                "\nWhat a minimum in every batch costs, if an epoch visits every row once:",
                _as_text(self.minimums),
                f"The largest minimum in batches of {size} on average: {largest}.",
                f"\n{self.reason}\nPython: {self.python}\nR:      {self.r}",
            ]
        )


def advise(strata: Any, batch_size: int, *, min_samples_per_stratum: int = 1, missing: str = "error") -> Advice:
    """Advise a sampler for batches of a given size, from the counts of the strata alone.

    Nothing is trained: the advice says what batches hold, not whether a model gets better; docs/does-it-help.md has a
    study of that. The R function ``rbridge::advise()`` returns the same.

    Parameters
    ----------
    strata : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        As in `StratifiedBatchSampler`.
    batch_size : int
        The number of rows in a batch, at most all rows.
    min_samples_per_stratum : int, default 1
        The rows of every stratum that the loss needs in a batch: 1 for AUM and other losses of two classes, 2 for
        contrastive losses. At most `batch_size`.
    missing : {"error", "stratum", "drop"}, default "error"
        As in `StratifiedBatchSampler`.

    Notes
    -----
    Let there be n rows, n_min of them in the smallest stratum, batches of b rows, and a minimum of m rows. The rows of
    a stratum in a plain batch have the hypergeometric distribution. The sampler is the first that fits:

    1. ``"plain"``: there is one stratum, or at most 1 in 1,000 plain batches, by the sum of these probabilities over
       the strata, has fewer than m rows of any; the code leaves out a smaller last batch;
    2. ``"stratified"``: an epoch has ``B = n / b`` batches, rounded half up, and ``n_min // B`` is at least m;
    3. ``"repeated"``: m rows of all strata fit into a batch, and n_min is at least m; rare rows are repeated;
    4. ``"some strata"``: n_min is at least m; a batch holds ``b // m`` of the strata. If that is only one, the code
       makes batches of 2 m rows instead, with two strata;
    5. ``"weighted"``: rows drawn with replacement; a batch may hold fewer than m rows of a stratum.

    Examples
    --------
    >>> from pystrat import advise
    >>> labels = ["yes"] * 600 + ["no"] * 19400
    >>> advice = advise(labels, batch_size=128)
    >>> advice.strata["too_few"].round(4).to_dict()
    {'no': 0.0, 'yes': 0.02}
    >>> advice.sampler, advice.largest_minimum
    ('stratified', 3)
    >>> print(advice.python)
    StratifiedBatchSampler(labels, mean_batch_size=128)
    """
    arguments = {"batch_size": batch_size, "min_samples_per_stratum": min_samples_per_stratum, "missing": missing}
    _core.call("advice", arguments)
    encoded = encode_strata(strata, missing=missing)
    found = _core.call("advice", arguments, {"counts": encoded.counts.astype(np.float64)})
    columns = {"rows": encoded.counts, **{name: found[name] for name in ("mean", "variance", "too_few")}}
    minimums = {
        "min_samples_per_stratum": found["minimums"].astype(np.int64),
        "n_batches": found["batches"].astype(np.int64),
        "mean_batch_size": found["mean_batch_sizes"],
    }
    return Advice(
        int(batch_size),
        int(min_samples_per_stratum),
        int(encoded.counts.sum()),
        sorted_frame(columns, encoded.values),
        pd.DataFrame(minimums),
        int(found["largest_minimum"][0]),
        *(found[name].tobytes().decode("ascii") for name in ("sampler", "reason", "python", "r")),
    )


def _as_text(table: pd.DataFrame) -> str:
    def show_share(share: float) -> str:
        return "<0.0001" if 0 < share < 1e-4 else f"{share:.4g}"

    return str(table.to_string(index=False, float_format="%.2f", formatters={"too_few": show_share}))
