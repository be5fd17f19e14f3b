"""Whether the samplers of all processes of a torch process group fit together."""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional, Sequence

from pystrat import __version__
from pystrat.digest import difference, digest_of
from pystrat.messages import refused_type, refused_value, show
from pystrat.places import Placed
from pystrat.process_group import check_group, check_same, gather, processes_of

_PLACE = {"version", "fingerprint", "epoch", "batch"}


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
        _facts_of(sampler)
        return
    own = gather(lambda: _facts_of(sampler), process_group, "describe its sampler")
    differing = [(word, process) for process, other in enumerate(own) for word in _differences(own[0], other)]
    advice = "Pass the same data, parameters and seed in all processes, and load the same state."
    check_same("sampler", "be the same in all processes", differing, advice)
    _check_numbers([facts["rank"] for facts in own], own[0]["num_replicas"])
    if own[0]["shards"] is not None:
        for shard in sampler.plan.counts.index:
            processes = [process for process, facts in enumerate(own) if shard in facts["shards"]]
            if len(processes) != 1:
                got = f"{show(shard)} in {processes_of(processes) if processes else 'none'}"
                raise refused_value("sampler", "have each shard in one process", got, "Give it to one of them.")


def _facts_of(sampler: Any) -> dict[str, Any]:
    """Return what is compared of a sampler, and what is checked over all processes."""
    if not isinstance(sampler, Placed):
        raise refused_type("sampler", "be a sampler or a stream of pystrat", show(sampler))
    state = sampler.state()
    feedback = {name: part for name, part in state.items() if name not in _PLACE}
    shards = getattr(sampler, "shards", None)
    return {
        "kind": type(sampler).__name__,
        "release": __version__,
        "num_replicas": sampler.num_replicas,
        "fingerprint": state["fingerprint"],
        "place": f"epoch {state['epoch']} and batch {state['batch']}",
        "feedback": json.dumps(feedback, default=digest_of),
        "rank": sampler.rank,
        "shards": None if shards is None else frozenset(shards),
    }


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Name what the second of two samplers has that differs from the first."""
    names = [name for name in one if name not in ("rank", "shards") and one[name] != other[name]]
    if names[:1] == ["kind"]:
        names = ["kind"]
    for name in names:
        if name == "fingerprint":
            if "num_replicas" not in names:  # on which the batches depend
                yield difference(one[name], other[name])
        elif name == "feedback":
            if "place" not in names:
                yield "other feedback"
        else:
            word = {"release": "release of pystrat", "num_replicas": "'num_replicas'"}.get(name, name)
            yield f"another {word}, {show(other[name]) if name == 'num_replicas' else other[name]},"


def _check_numbers(ranks: Sequence[Optional[int]], num_replicas: Optional[int]) -> None:
    """Refuse ranks that are not those of all processes."""
    if not any(rank is not None for rank in ranks):
        return
    advice = "Pass num_replicas=torch.distributed.get_world_size() and rank=torch.distributed.get_rank()."
    if num_replicas != len(ranks):
        required = f"have the number of processes, {len(ranks)}, as 'num_replicas'"
        raise refused_value("sampler", required, show(num_replicas), advice)
    for rank in ranks:
        processes = [process for process, other in enumerate(ranks) if other == rank]
        if rank is None or len(processes) > 1:
            got = f"{'no rank' if rank is None else f'rank {rank}'} in {processes_of(processes)}"
            raise refused_value("sampler", "have a rank of its own in each process", got, advice)
