"""Whether the samplers of all processes of a torch process group fit together."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Optional

from pystrat.core.digest import difference, digest_of
from pystrat.core.messages import refused_type, refused_value, shortened, show
from pystrat.core.places import Placed
from pystrat.core.process_group import gather, running_group

_SAME = ("kind", "num_replicas", "fingerprint", "place", "feedback")  # the first that differs is named
_PLACE = {"version", "fingerprint", "epoch", "batch"}


def check_ranks(sampler: Any, process_group: Optional[Any] = None) -> None:
    """Check that the samplers of all processes fit together, so that no row is lost or delivered twice.

    Every process of the group calls it with its own sampler, before the first epoch and after `load_state_dict`. If
    samplers differ, every process raises the same error. Nothing is compared if no process group runs. Samplers of data
    in shards must have the same table of counts; their rows differ.

    Parameters
    ----------
    sampler : BatchSampler or StratifiedStream
        The sampler or the stream of this process.
    process_group : torch.distributed.ProcessGroup, optional
        The processes that divide the rows; by default torch's default group. With tensor parallelism, it is smaller.

    Examples
    --------
    >>> from pystrat import StratifiedBatchSampler, check_ranks
    >>> check_ranks(StratifiedBatchSampler([0, 1] * 8, 2, seed=1))  # no process group runs
    """
    facts = gather(lambda: _facts_of(sampler), process_group, "describe its sampler")
    if running_group() is None:
        return
    own = facts[0]
    for process, other in enumerate(facts):
        for name in (name for name in _SAME if other[name] != own[name]):
            is_text = name == "fingerprint"
            differs = difference(own[name], other[name]) if is_text else f"another {name}, {other[name]},"
            got = f"{differs} in process {process} than in process 0"
            advice = "Pass the same data, parameters and seed in all processes, and load the same state."
            raise refused_value("sampler", "be the same in all processes", got, advice)
    ranks = [other["rank"] for other in facts]
    if set(ranks) != {None} and (own["num_replicas"] != len(ranks) or set(ranks) != set(range(len(ranks)))):
        required = f"have num_replicas={len(ranks)}, and a rank of its own in each process"
        got = f"num_replicas={own['num_replicas']} and the ranks {shortened(', '.join(map(str, ranks)))}"
        advice = "Pass num_replicas=torch.distributed.get_world_size() and rank=torch.distributed.get_rank()."
        raise refused_value("sampler", required, got, advice)
    if own["shards"] is not None:
        held = Counter(shard for other in facts for shard in other["shards"])
        for shard in sampler.plan.counts.index:
            if held[shard] != 1:
                got = f"{show(shard)} in {held[shard]}"
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
        "num_replicas": sampler.num_replicas,
        "fingerprint": state["fingerprint"],
        "place": f"epoch {state['epoch']} and batch {state['batch']}",
        "feedback": digest_of([json.dumps(feedback, default=digest_of)]),
        "rank": sampler.rank,
        "shards": None if shards is None else frozenset(shards),
    }
