"""Plans whose epochs take rows of some strata less or more often than once: shares, repeats, batches of one size."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np

from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import as_written, check_integer, check_number, count_of, refused_type, refused_value, show
from pystrat.plan import BatchPlan
from pystrat.plan_making import batches_by_mean
from pystrat.sizes import share_of_replicas
from pystrat.stratum_names import check_names, codes_of

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


def check_shares(shares: Any) -> dict[str, Union[int, float]]:
    """Return the share of each stratum, by its name: integers as they are, other numbers as they are written."""
    if not isinstance(shares, Mapping):
        raise refused_type("shares", "be a mapping from strata to numbers", show(shares))
    if not shares:
        raise refused_value("shares", "name every stratum", "no stratum")
    names = check_names(shares, "shares", noun="stratum")
    for value in shares.values():
        check_number(value, "shares", minimum=0, above=True)
    values = [int(value) if isinstance(value, numbers.Integral) else as_written(value) for value in shares.values()]
    return dict(zip(names, values))


def check_balance(balance: Any) -> Union[str, int]:
    """Return the number of rows of every stratum in an epoch: "over", "under", or a number."""
    if isinstance(balance, str):
        if balance in ("over", "under"):
            return balance
        raise refused_value("balance", "be 'over', 'under' or a positive integer", show(balance))
    return check_integer(balance, "balance", minimum=1)


def plan_of_shares(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    shares: Mapping[str, float],
    mean_batch_size: int,
    num_replicas: int = 1,
) -> BatchPlan:
    """Return the plan with given shares of the strata.

    With the weights w_s, their sum W and sums up to a stratum W_s, and n rows, an epoch has B = max(1, round-half-up(n
    / mean_batch_size)) batches and T = B * mean_batch_size rows, of which floor(T * W_s / W) - floor(T * W_(s-1) / W)
    are of stratum s.

    Parameters
    ----------
    counts : numpy.ndarray of int64, shape (number of strata,)
        The number of rows of each stratum, all positive.
    strata : sequence of str
        Their names.
    shares : mapping from str to int or float
        The weight of each stratum, by name. Integers, and whole numbers below 2^53, are exact; other numbers are the
        decimal numbers with 15 digits that are shown.
    mean_batch_size : int
        The size of every batch.
    num_replicas : int
        The number of batches is rounded down to a multiple of it.

    Raises
    ------
    ValueError
        If a stratum has no share, gets no row, or would occur twice in a batch, or if the products are not exact.
    """
    weights = _whole_weights(shares, strata)
    n_batches = batches_by_mean(int(counts.sum()), mean_batch_size, num_replicas)
    total = n_batches * mean_batch_size
    if total > MAX_COUNT:
        raise refused_value("mean_batch_size", f"give an epoch at most {MAX_COUNT} rows", show(mean_batch_size))
    sum_of_weights = sum(weights)
    if total * sum_of_weights >= MAX_EXACT:
        required = "have whole weights whose sum, times the rows of an epoch, is below 2^53"
        shown = str(sum_of_weights) if sum_of_weights < MAX_EXACT else "2^53 or more"
        got = f"a sum of {shown}, for {total} rows,"
        raise refused_value("shares", required, got, "Give small whole numbers, such as 1 and 3.")
    taken = _in_proportion(total, weights)
    if not taken.all():
        name = strata[int(taken.argmin())]
        required = "give each stratum at least one row of an epoch"
        raise refused_value("shares", required, f"none of {total} for '{name}'")
    _refuse_twice_in_a_batch("shares", taken, counts, strata, n_batches)
    return BatchPlan(n_batches, taken, strata, "even", counts)


def plan_of_balance(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    balance: Union[str, int],
    mean_batch_size: int,
    num_replicas: int = 1,
) -> BatchPlan:
    """Return the plan in which an epoch takes the same number of rows of every stratum.

    `balance` is this number, or "over" for the size of the largest stratum, or "under" for the size of the smallest.
    The other parameters are those of `plan_of_shares`.
    """
    rows = {"over": int(counts.max()), "under": int(counts.min())}.get(str(balance))
    rows = int(balance) if rows is None else rows
    total = rows * len(counts)
    if total > MAX_COUNT:
        raise refused_value("balance", f"give an epoch at most {MAX_COUNT} rows", show(balance))
    taken = np.full(len(counts), rows, dtype=np.int64)
    n_batches = batches_by_mean(total, mean_batch_size, num_replicas)
    _refuse_twice_in_a_batch("mean_batch_size", taken, counts, strata, n_batches)
    return BatchPlan(n_batches, taken, strata, "even", counts)


def plan_of_repeats(
    counts: NDArray[np.int64],
    strata: Sequence[str],
    *,
    minimums: NDArray[np.int64],
    mean_batch_size: int,
    num_replicas: int = 1,
) -> BatchPlan:
    """Return the plan with the fewest batches that keep the minimums, repeating rows of rare strata.

    An epoch takes max(n_s, B * m_s) rows of a stratum of n_s rows with the minimum m_s. B is the least number for which
    the sum of these is at most B * mean_batch_size.

    Parameters
    ----------
    counts, strata, num_replicas
        As in `plan_of_shares`; the number of batches is rounded up.
    minimums : numpy.ndarray of int64, shape (number of strata,)
        The minimum of each stratum; 0 for none.
    mean_batch_size : int
        The largest mean number of rows in a batch.

    Raises
    ------
    ValueError
        If a minimum exceeds the rows of its stratum, or the minimums together exceed the size of a batch.
    """
    _refuse_large_promise(counts, strata, minimums)
    asked = int(minimums.sum()) + int((minimums == 0).any())
    if mean_batch_size < asked:
        required = f"be at least {asked}, for the rows that 'min_samples_per_stratum' asks for in a batch"
        raise refused_value("mean_batch_size", required, show(mean_batch_size))
    n_batches = _fewest_batches(counts, minimums, mean_batch_size, num_replicas)
    total = sum(max(int(count), n_batches * int(least)) for count, least in zip(counts, minimums))
    if total > MAX_COUNT:
        raise refused_value("mean_batch_size", f"give an epoch at most {MAX_COUNT} rows", show(mean_batch_size))
    return BatchPlan(n_batches, np.maximum(counts, n_batches * minimums), strata, "even", counts)


def plan_of_one_size(
    counts: NDArray[np.int64], strata: Sequence[str], *, batch_size: int, num_replicas: int = 1
) -> BatchPlan:
    """Return the plan whose batches all have one size; surplus rows are left out, in turn.

    The surplus is divided in proportion to the rows that a stratum has beyond one per batch.

    Raises
    ------
    ValueError
        If a batch has more rows than there are, or strata would lose rows that batches need.
    """
    n_rows = int(counts.sum())
    if batch_size > n_rows:
        raise refused_value("mean_batch_size", f"be at most {n_rows}, the number of rows", show(batch_size))
    n_batches = share_of_replicas(n_rows // batch_size, num_replicas)
    over = n_rows - n_batches * batch_size
    spare = counts - np.minimum(counts, n_batches)
    total = int(spare.sum())
    if over > total:
        required = f"leave out at most {total} rows, which strata can spare"
        raise refused_value("mean_batch_size", required, f"{show(batch_size)}, which leaves out {over},")
    if over * total >= MAX_EXACT:
        required = "leave out fewer rows, so that all products are below 2^53"
        raise refused_value("mean_batch_size", required, f"{show(batch_size)}, which leaves out {over},")
    left_out = _in_proportion(over, spare.tolist()) if over else np.zeros_like(counts)
    return BatchPlan(n_batches, counts - left_out, strata, "even", counts)


def _whole_weights(shares: Mapping[str, float], strata: Sequence[str]) -> list[int]:
    """Return the weights of the strata as whole numbers without a common divisor."""
    names = list(strata)
    codes = codes_of(shares, names, "shares", noun="stratum")
    if len(codes) < len(names):
        absent = next(name for name in names if name not in shares)
        got = f"{count_of(len(names) - len(codes), 'name')} too few, '{absent}' among them,"
        raise refused_value("shares", "name every stratum", got)
    whole = _whole_numbers(list(shares.values()))
    divisor = math.gcd(*whole) if sum(whole) < MAX_EXACT else 1
    weights = [0] * len(names)
    for code, weight in zip(codes, whole):
        weights[code] = weight // divisor
    return weights


def _whole_numbers(values: Sequence[float]) -> list[int]:
    """Return numbers times the least power of ten that makes all of them whole."""
    decimals = [_decimal_digits(value) for value in values]
    last = max(behind for _, behind in decimals)
    return [digits * 10 ** (last - behind) for digits, behind in decimals]


def _decimal_digits(value: Union[int, float]) -> tuple[int, int]:
    """Return the digits of a number, and how many of them follow the point, which may be below 0.

    A fraction, or a float from 2^53 on, has the 15 digits with which it is shown.
    """
    if isinstance(value, int) or (value.is_integer() and value < MAX_EXACT):
        mantissa, exponent = str(int(value)), len(str(int(value))) - 1
    else:
        shown, power = f"{value:.14e}".split("e")
        mantissa, exponent = shown.replace(".", ""), int(power)
    digits = mantissa.rstrip("0")
    return int(digits), len(digits) - 1 - exponent


def _in_proportion(total: int, weights: Sequence[int]) -> NDArray[np.int64]:
    """Divide a total by cumulative rounding: each part is the floor or the ceiling of its share."""
    ends = np.cumsum(np.array(weights, dtype=np.int64)) * total // sum(weights)
    return np.diff(ends, prepend=0)


def _refuse_twice_in_a_batch(
    parameter: str, taken: NDArray[np.int64], counts: NDArray[np.int64], strata: Sequence[str], n_batches: int
) -> None:
    """Refuse a plan in which a batch would need more rows of a stratum than there are."""
    most = -(-taken // n_batches)
    beyond = np.flatnonzero(most > counts)
    if len(beyond):
        first = int(beyond[0])
        required = f"ask for at most {count_of(int(counts[first]), 'row')} of '{strata[first]}' in a batch"
        advice = "No row occurs twice in a batch. Lower 'mean_batch_size'."
        raise refused_value(parameter, required, str(int(most[first])), advice)


def _refuse_large_promise(counts: NDArray[np.int64], strata: Sequence[str], minimums: NDArray[np.int64]) -> None:
    beyond = np.flatnonzero(minimums > counts)
    if len(beyond):
        first = int(beyond[0])
        required = f"ask for at most {count_of(int(counts[first]), 'row')} of '{strata[first]}' in a batch"
        advice = "No row occurs twice in a batch."
        raise refused_value("min_samples_per_stratum", required, str(int(minimums[first])), advice)


def _fewest_batches(
    counts: NDArray[np.int64], minimums: NDArray[np.int64], mean_batch_size: int, num_replicas: int
) -> int:
    """Return the least multiple of the replicas for which the rows of an epoch fit into full batches."""
    pairs = [(int(count), int(least)) for count, least in zip(counts, minimums)]

    def fits(multiples: int) -> bool:
        n_batches = multiples * num_replicas
        return sum(max(count, n_batches * least) for count, least in pairs) <= n_batches * mean_batch_size

    most = 1
    while not fits(most):
        most *= 2
    least = most // 2  # does not fit, or is 0
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if fits(middle) else (middle, most)
    return most * num_replicas
