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

    Attributes
    ----------
    batch_size, min_samples_per_stratum, n_rows : int
        As they were given, and the number of rows that have a stratum.
    strata : pandas.DataFrame
        By the values of the strata, sorted: their ``rows``, the ``mean`` and the ``variance`` of their rows in a plain
        batch, and ``too_few``, the share of plain batches that hold fewer than `min_samples_per_stratum` of them.
    minimums : pandas.DataFrame
        What a minimum costs if every row is visited once. ``min_samples_per_stratum``: 1, 2, 5, 10, 20 and so on up to
        the rows of the smallest stratum; ``n_batches`` of an epoch; ``mean_batch_size``.
    largest_minimum : int
        The largest minimum in batches of at most `batch_size` rows on average; 0 if even one row is too many.
    sampler, reason : str
        The batches that fit, and why: "plain", "stratified", "repeated", "some strata" or "weighted".
    python, r : str
        The line of code that makes the sampler of ``labels``, with the argument `missing` of `advise`.
    """

    batch_size: int
    min_samples_per_stratum: int
    n_rows: int
    strata: pd.DataFrame
    minimums: pd.DataFrame
    largest_minimum: int
    sampler: str
    reason: str
    python: str
    r: str

    def __str__(self) -> str:
        fewer = f"fewer than {count_of(self.min_samples_per_stratum, 'row')}"
        rarest = self.strata.sort_values("rows", kind="stable")[:_MOST_SHOWN]
        n_others = len(self.strata) - len(rarest)
        shown = rarest.reset_index(drop=True)
        shown.insert(0, "stratum", names_index(Names(rarest.index)))
        size = count_of(self.batch_size, "row")
        largest = count_of(self.largest_minimum, "row") if self.largest_minimum else "none"
        lines = [
            f"{count_of(self.n_rows, 'row')}, {count_of(len(self.strata), 'stratum')}, batches of {size}",
            "",
            f"Rows in a plain batch, and the share of plain batches with {fewer}:",
            _as_text(shown),
            *([f"... and {count_of(n_others, 'stratum')} with as many rows or more"] if n_others else []),
            "",
            "What a minimum in every batch costs, if an epoch visits every row once:",
            _as_text(self.minimums),
            f"The largest minimum in batches of {size} on average: {largest}.",
            "",
            self.reason,
            f"Python: {self.python}",
            f"R:      {self.r}",
        ]
        return "\n".join(lines)


def advise(strata: Any, batch_size: int, *, min_samples_per_stratum: int = 1, missing: str = "error") -> Advice:
    """Advise a sampler for batches of a given size, from the counts of the strata alone.

    Nothing is trained: the advice says what batches hold, not whether a model gets better. docs/does-it-help.md says
    what a study of real data found. The R function ``rbridge::advise()`` returns the same.

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

    Returns
    -------
    Advice

    Notes
    -----
    Let there be n rows, n_min of them in the smallest stratum, batches of b rows, and a minimum of m rows. The rows of
    a stratum in a plain batch have the hypergeometric distribution. The sampler is the first that fits:

    1. ``"plain"``: at most 1 in 1,000 plain batches has fewer than m rows of any stratum, by the sum of these
       probabilities over the strata, or there is one stratum; the code leaves out a smaller last batch;
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
    return Advice(
        batch_size=int(batch_size),
        min_samples_per_stratum=int(min_samples_per_stratum),
        n_rows=int(encoded.counts.sum()),
        strata=sorted_frame(columns, encoded.values),
        minimums=pd.DataFrame(
            {
                "min_samples_per_stratum": found["minimums"].astype(np.int64),
                "n_batches": found["batches"].astype(np.int64),
                "mean_batch_size": found["mean_batch_sizes"],
            }
        ),
        largest_minimum=int(found["largest_minimum"][0]),
        **{name: found[name].tobytes().decode("ascii") for name in ("sampler", "reason", "python", "r")},
    )


def _as_text(table: pd.DataFrame) -> str:
    return str(table.to_string(index=False, float_format="%.2f", formatters={"too_few": _show_share}))


def _show_share(share: float) -> str:
    """Return a share of batches; the smallest ones are as good as 0."""
    return "<0.0001" if 0 < share < 1e-4 else f"{share:.4g}"
