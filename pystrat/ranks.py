"""Whether the samplers of all processes of a torch process group fit together."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Optional, Protocol, Sequence, runtime_checkable

from pystrat import __version__
from pystrat.digest import difference, fingerprint
from pystrat.messages import refused_type, refused_value, show
from pystrat.process_group import check_group, check_same, gather, processes_of

_PLACE = {"version", "fingerprint", "epoch", "batch"}


@runtime_checkable
class Shared(Protocol):
    """What samplers and streams have in common."""

    seed: int
    num_replicas: Optional[int]
    rank: Optional[int]

    def state(self) -> dict[str, Any]:
        """Return the state where the next iteration begins."""


def check_ranks(sampler: Any, process_group: Optional[Any] = None) -> None:
    """Check that the samplers of all processes fit together, so that no row is lost or delivered twice.

    Every process of the group calls it with its own sampler, before the first epoch and after `load_state_dict`. If
    samplers differ, every process raises the same error. Nothing is compared if no process group runs. It is a
    collective call, which no sampler makes by itself: one process may iterate while others do not.

    Parameters
    ----------
    sampler : BatchSampler or StratifiedStream
        The sampler or the stream of this process.
    process_group : torch.distributed.ProcessGroup, optional
        The processes that share an epoch; by default torch's default group.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid, in this process or another one. If the processes have samplers of different kinds,
        data, parameters or seeds, or different releases of pystrat; if their samplers continue at different places, or
        received different feedback. If two processes have the same `rank`, only some of them have one, or
        `num_replicas` is not their number. If a shard is in two processes, or in none. The message names what differs,
        and the processes.

    Notes
    -----
    Samplers of data in shards must have the same table of counts; their rows differ. If groups of processes train on
    the same rows, as with tensor parallelism, pass the group of the processes that divide the rows.

    The exchange is ``torch.distributed.all_gather_object``, as in `gather_counts`: a few digests, and names of shards.

    Examples
    --------
    >>> from pystrat import StratifiedBatchSampler, check_ranks
    >>> check_ranks(StratifiedBatchSampler([0, 1] * 8, 2, seed=1))  # no process group runs
    """
    if check_group(process_group) is None:
        _check_sampler(sampler)
        return
    own = gather(lambda: _Facts.of(sampler), process_group, doing="describe", noun="sampler")
    differing = [(word, process) for process, other in enumerate(own) for word in _differences(own[0], other)]
    advice = "Pass the same data, parameters and seed in all processes, and load the same state."
    check_same("sampler", "be the same in all processes", differing, advice)
    _check_numbers(own)
    if own[0].shards is not None:
        _check_shards(own, sampler.plan.shards)


class _Facts(NamedTuple):
    """What is compared of a sampler."""

    kind: str
    release: str
    fingerprint: str
    seed: int
    place: tuple[int, int]
    feedback: str
    num_replicas: Optional[int]
    rank: Optional[int]
    shards: Optional[Sequence[str]]  # of this process, if the data are in shards

    @classmethod
    def of(cls, sampler: Any) -> "_Facts":
        _check_sampler(sampler)
        state = sampler.state()
        is_sharded = hasattr(getattr(sampler, "plan", None), "shards")
        return cls(
            kind=type(sampler).__name__,
            release=__version__,
            fingerprint=state["fingerprint"],
            seed=sampler.seed,
            place=(state["epoch"], state["batch"]),
            feedback=_digest({name: part for name, part in state.items() if name not in _PLACE}),
            num_replicas=sampler.num_replicas,
            rank=sampler.rank,
            shards=sampler.shards if is_sharded else None,
        )


def _digest(part: Mapping[str, Any]) -> str:
    """Return a digest of a part of a state."""
    return fingerprint("state", **{key: _digest(of) if isinstance(of, Mapping) else of for key, of in part.items()})


def _differences(one: _Facts, other: _Facts) -> Iterator[str]:
    """Name what the second of two samplers has that differs from the first."""
    if other.kind != one.kind:
        yield f"another kind, {other.kind},"
        return
    if other.release != one.release:
        yield f"another release of pystrat, {other.release},"
    if other.num_replicas != one.num_replicas:  # on which the batches depend
        yield f"another 'num_replicas', {show(other.num_replicas)},"
    elif other.fingerprint != one.fingerprint:
        yield difference(one.fingerprint, other.fingerprint)
    if other.place != one.place:
        yield "another place, epoch {} and batch {},".format(*other.place)
    elif other.feedback != one.feedback:
        yield "other feedback"


def _check_numbers(facts: Sequence[_Facts]) -> None:
    """Refuse ranks of which some are missing or given twice."""
    ranks = [own.rank for own in facts]
    if ranks == [None] * len(ranks):
        return
    advice = "Pass num_replicas=torch.distributed.get_world_size() and rank=torch.distributed.get_rank()."
    if facts[0].num_replicas != len(facts):
        required = f"have the number of processes, {len(facts)}, as 'num_replicas'"
        raise refused_value("sampler", required, show(facts[0].num_replicas), advice)
    for rank in ranks:
        processes = [process for process, other in enumerate(ranks) if other == rank]
        if rank is None or len(processes) > 1:
            got = f"{'no rank' if rank is None else f'rank {rank}'} in {processes_of(processes)}"
            raise refused_value("sampler", "have a rank of its own in each process", got, advice)


def _check_shards(facts: Sequence[_Facts], shards: Sequence[str]) -> None:
    """Refuse shards that two processes have, or none."""
    holders: dict[str, list[int]] = {shard: [] for shard in shards}
    for process, own in enumerate(facts):
        for shard in own.shards or ():
            holders[shard].append(process)
    for shard, processes in holders.items():
        if len(processes) != 1:
            got = f"{show(shard)} in {processes_of(processes) if processes else 'none'}"
            raise refused_value("sampler", "have each shard in one process", got, "Give it to one of them.")


def _check_sampler(sampler: Any) -> None:
    if not isinstance(sampler, Shared):
        raise refused_type("sampler", "be a sampler or a stream of pystrat", show(sampler))
