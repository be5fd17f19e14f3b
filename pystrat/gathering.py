"""The table of counts of all processes of a torch process group."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import pandas as pd

from pystrat.counts_by_shard import ShardCounts, bound, check_any_rows, count_shards
from pystrat.entries import named_by_function
from pystrat.messages import Refusal, RefusedValue, show
from pystrat.process_group import running_group

_OWNER = "gather_counts"


@named_by_function
def gather_counts(strata: Mapping[str, Any], process_group: Optional[Any] = None) -> pd.DataFrame:
    """Count the rows of each stratum in each shard, over all processes.

    Every process of the group calls it with its own shards, and gets the same table. It exchanges only counts and
    names, once.

    Parameters
    ----------
    strata : mapping from str to strata
        The strata of the rows of each shard of this process, by the name of the shard, as in `shard_counts`; empty if
        it has none.
    process_group : torch.distributed.ProcessGroup, optional
        The processes; by default torch's default group. If no group runs, this process is the only one.

    Returns
    -------
    pandas.DataFrame
        The result of `shard_counts` for the shards of all processes, whichever process holds them.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, in this process or another one; or if two processes hold the same shard. If counting
        ends in any other error, such as a file that is missing, the process raises that error, and the others a
        ValueError that names the process. No process waits forever.

    Notes
    -----
    The exchange is ``torch.distributed.all_gather_object``, which works with the backends gloo and nccl. With nccl,
    which was not run, call ``torch.cuda.set_device`` before.

    Examples
    --------
    >>> from pystrat import gather_counts
    >>> gather_counts({"a.csv": ["no", "no", "yes"]}).to_dict("index")
    {'a.csv': {'no': 2, 'yes': 1}}
    """
    distributed = running_group()
    if distributed is None:
        if process_group is not None:
            raise RefusedValue("process_group", "be left out if no process group runs", show(process_group))
        return check_any_rows(count_shards(strata), "strata").to_frame()
    if process_group is not None and not isinstance(process_group, distributed.ProcessGroup):
        raise RefusedValue("process_group", "be a group of this process", show(process_group))
    error, own = _attempt(strata)
    gathered = exchange(None if error is None else _message(error), own, process_group)
    if error is not None:
        raise error
    return joined(gathered)


def exchange(
    message: Optional[str], own: Optional[ShardCounts], process_group: Optional[Any] = None
) -> list[tuple[Optional[str], Optional[ShardCounts]]]:
    """Return the error message, if any, and the counts, if any, of each process."""
    distributed: Any = running_group()
    gathered: list[Any] = [None] * distributed.get_world_size(process_group)
    distributed.all_gather_object(gathered, (message, own), group=process_group)
    return gathered


def joined(gathered: list[tuple[Optional[str], Optional[ShardCounts]]]) -> pd.DataFrame:
    """Return the table of all processes; raise an error if one of them failed."""
    for rank, (message, _) in enumerate(gathered):
        if message is not None:
            raise ValueError(f"Process {rank} {message}")
    return bound([counts for _, counts in gathered if counts is not None], "strata").to_frame()


def _attempt(strata: Any) -> tuple[Optional[Exception], Optional[ShardCounts]]:
    """Return the counts of the shards of this process, None if it has none, or the error that counting raised."""
    try:
        if isinstance(strata, Mapping) and not strata:
            return None, None
        return None, count_shards(strata)
    except Exception as error:  # of any kind, because the other processes wait
        return error, None


def _message(error: Exception) -> str:
    """Return the message about an error for the other processes."""
    if isinstance(error, Refusal):
        return f"refused its shards: {error.message(_OWNER)}"
    return f"could not count its shards: {type(error).__name__}: {error}"
