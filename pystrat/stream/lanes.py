"""Sources -> lanes -> the plan of their batches, and the order of sources and rows in an epoch, all by the core."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from pystrat import _core
from pystrat.counts_by_shard import ShardCounts
from pystrat.messages import refused_value, show
from pystrat.strata import encode_strata, listed

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray


class Windows(NamedTuple):
    """How rows that are taken have ranks in a lane and an epoch.

    Attributes
    ----------
    needed : list of int
        Whether each group of sources is needed.
    of_groups : numpy.ndarray of float64
        For each group, the numbers from which the ranks of its rows follow.
    before : numpy.ndarray of float64, shape (number of sources, number of strata)
        The rows of each stratum in earlier sources of the lane.
    """

    needed: list[int]
    of_groups: NDArray[np.float64]
    before: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lanes:
    """The lanes of a stream: source k, in the order of their names, belongs to lane k modulo the number of lanes.

    Attributes
    ----------
    given : numpy.ndarray of int32
        The sources in the order in which they were given.
    n_lanes : int
    shuffle : bool
        Whether to shuffle the sources, and the rows of each source, in each epoch.
    together : int
        The number of sources, in the order of an epoch, that are read and shuffled as one.
    seed : int
    """

    given: NDArray[np.int32]
    n_lanes: int
    shuffle: bool
    together: int
    seed: int

    def sources(self, lane: int, epoch: int) -> list[int]:
        """Return the sources of a lane in the order of an epoch."""
        found: list[int] = self._found(lane, epoch, {}, {})["sources"].tolist()
        return found

    def counted_sources(self, plan: LanePlan, lane: int, epoch: int) -> tuple[list[int], NDArray[np.float64]]:
        """Return the sources of a lane with counts in the order of an epoch, and the shifts of its strata."""
        found = self._found(lane, epoch, {"n_batches": plan.n_batches}, {"totals": plan.totals[lane]})
        return found["sources"].tolist(), found["shifts"]

    def windows(self, plan: LanePlan, lane: int, epoch: int, sources: list[int], first: int) -> Windows:
        """Return how rows that are taken have ranks, for the sources of a lane in the order of an epoch."""
        wanted = {"next": first, "shuffle_sources": self.together}
        data: dict[str, NDArray[Any]] = {
            "sources": np.array(sources, dtype=np.int32),
            "table": plan.counts.astype(np.float64).ravel(),
            "n_strata": np.array([plan.counts.shape[1]], dtype=np.float64),
        }
        found = self._taken("lane_windows", plan, lane, epoch, wanted, data)
        windows = found["windows"].reshape(len(found["needed"]), -1)
        return Windows(found["needed"].tolist(), windows, found["before"].reshape(len(sources), -1))

    def copies(
        self, plan: LanePlan, lane: int, epoch: int, source: int, before: NDArray[np.float64], codes: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return how often an epoch takes each row of a source, in the order of the source."""
        if not len(codes):
            return codes
        wanted = {"next": 0, "source": source, **self._at(epoch)}
        found = self._taken("row_copies", plan, lane, epoch, wanted, {"before": before, "codes": codes})
        copies: NDArray[np.int32] = found["copies"]
        return copies

    def _taken(
        self,
        name: str,
        plan: LanePlan,
        lane: int,
        epoch: int,
        wanted: Mapping[str, Any],
        data: Mapping[str, NDArray[Any]],
    ) -> dict[str, NDArray[Any]]:
        assert plan.taken is not None
        given = {"n_batches": plan.n_batches, "epoch": epoch, **wanted}
        of_lane = {"totals": plan.totals[lane], "taken": plan.taken[lane]}
        found: dict[str, NDArray[Any]] = _core.call(name, given, {**of_lane, **data})
        return found

    def _found(
        self, lane: int, epoch: int, further: Mapping[str, int], data: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        wanted = {"lane": lane, "lanes": self.n_lanes, **self._at(epoch), **further}
        found: dict[str, NDArray[Any]] = _core.call("lane_sources", wanted, {"given": self.given, **data})
        return found

    def groups(self, sources: list[int]) -> list[list[int]]:
        """Return the sources of a lane that are read and shuffled together, from those in the order of an epoch."""
        return [sources[begin : begin + self.together] for begin in range(0, len(sources), self.together)]

    def order(self, source: int, epoch: int, n_rows: int) -> NDArray[np.int32]:
        """Return the order of the rows of a group of sources in an epoch, from its first source."""
        order: NDArray[np.int32] = _core.call("source_order", {"source": source, "n_rows": n_rows, **self._at(epoch)})[
            "order"
        ]
        return order

    def check_epoch(self, epoch: Any) -> int:
        """Return the number of an epoch; refuse one for which no seeds are left."""
        return int(_core.call("stream_epoch", self._at(epoch))["epoch"])

    def _at(self, epoch: Any) -> dict[str, Any]:
        return {"seed": self.seed, "epoch": epoch, "n_sources": len(self.given), "shuffle": self.shuffle}


@dataclass(frozen=True, eq=False)
class LanePlan:
    """What follows from the counts alone.

    Attributes
    ----------
    counts : numpy.ndarray of int64, shape (number of sources, number of strata)
    totals : numpy.ndarray of float64, shape (number of lanes, number of strata)
        The rows of each stratum in each lane.
    taken : numpy.ndarray of float64, or None
        Those that an epoch takes; None if it takes each row once.
    n_batches : int
        The batches of each lane.
    min_samples_per_stratum : int
        The rows of each stratum that every batch has.
    rows_held : int
        The most rows that a lane may have to hold, whatever the order of its sources.
    """

    counts: NDArray[np.int64]
    totals: NDArray[np.float64]
    taken: Optional[NDArray[np.float64]]
    n_batches: int
    min_samples_per_stratum: int
    rows_held: int


def strata_of_keys(numbers: Mapping[Any, Any], strata: Sequence[str], parameter: str) -> list[int]:
    """Return the codes of the strata that a mapping names by their values, or by how `counts` shows them."""
    names = []
    for key in numbers:
        try:
            names.append(encode_strata([key], missing="stratum").exact_names[0])
        except (TypeError, ValueError):  # no stratum can have this value
            raise refused_value(parameter, f"name strata, which are {listed(strata)}", show(key)) from None
    for name in names:
        if name not in strata or names.count(name) > 1:
            required = f"name each of the strata once, {listed(strata)}"
            raise refused_value(parameter, required, show(name) + " twice" * (names.count(name) > 1))
    return [strata.index(name) for name in names]


def plan_lanes(arguments: dict[str, Any], counts: ShardCounts) -> LanePlan:
    """Make the plan of lanes from the arguments of a stream and the counts of its sources, in order."""
    n_strata = len(counts.strata)
    table = {"table": counts.table.astype(np.float64).ravel(), "n_strata": np.array([n_strata], dtype=np.float64)}
    for parameter in ("shares", "min_samples_per_stratum"):
        if isinstance(arguments[parameter], Mapping):
            codes = strata_of_keys(arguments[parameter], counts.strata, parameter)
            table["named_strata"] = np.array(codes, dtype=np.float64)
    plan = _core.call("stream_plan", arguments, table, lambda _, place: show(counts.strata[int(place)]))
    for warning in plan.get("warnings", ()):
        warnings.warn(warning, stacklevel=3)
    return LanePlan(
        counts.table,
        plan["totals"].reshape(-1, n_strata),
        plan["taken"].reshape(-1, n_strata) if "taken" in plan else None,
        plan["n_batches"],
        plan["min_samples_per_stratum"],
        plan["rows_held"],
    )
