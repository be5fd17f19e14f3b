"""The table of counts of all processes of a torch process group."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from pystrat.counts_by_shard import ShardCounts, bound, check_any_rows, count_shards
from pystrat.digest import fingerprint
from pystrat.lazy_pandas import pd
from pystrat.process_group import check_group, check_same, gather


def gather_counts(strata: Mapping[str, Any], process_group: Optional[Any] = None) -> pd.DataFrame:
    """Count the rows of each stratum in each shard, over all processes.

    Every process of the group calls it with its own shards, and gets the same table, which it checks. It exchanges only
    counts, names and a digest of the table.

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
    if check_group(process_group) is None:
        return check_any_rows(count_shards(strata), "strata").to_frame()
    gathered = gather(lambda: _count_own(strata), process_group, doing="count", noun="shards")
    made: list[ShardCounts] = []

    def join() -> str:
        made.append(bound([own for own in gathered if own is not None], "strata"))
        return fingerprint("counts", shards=made[0].shards, strata=made[0].strata, table=made[0].table)

    digests = gather(join, process_group, doing="count", noun="shards")
    differing = [("another table", process) for process, digest in enumerate(digests) if digest != digests[0]]
    advice = "Install the same release of pystrat in all processes."
    check_same("strata", "give the same table in all processes", differing, advice)
    return made[0].to_frame()


def _count_own(strata: Any) -> Optional[ShardCounts]:
    """Return the counts of the shards of this process, None if it has none."""
    return None if isinstance(strata, Mapping) and not strata else count_shards(strata)
