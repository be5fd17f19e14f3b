"""Streams as language-neutral cases: ``python -m tests.reference.golden_stream`` writes ``stream.json``."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.reference.naive_stream import rows_held, stream_batches, taken_batches

GOLDEN = Path(__file__).parents[1] / "golden" / "stream.json"
STRATA = ["no", "yes", "often"]


WAYS: list[tuple[int, dict[str, Any]]] = [
    (9, {"balance": "over"}),
    (6, {"balance": "under"}),
    (7, {"balance": 31}),
    (8, {"shares": {"no": 1, "yes": 1, "often": 2}}),
]


def _in_order(way: dict[str, Any]) -> dict[str, Any]:
    """Return shares in the order of the strata."""
    return {"shares": list(way["shares"].values())} if "shares" in way else way


def cases() -> list[dict[str, Any]]:
    random = np.random.default_rng(1)
    sources = [random.choice(3, int(random.integers(5, 20)), p=[0.6, 0.3, 0.1]).tolist() for _ in range(6)]
    sources[0] += [2, 2, 2]  # each lane has some of each stratum
    sources[1] += [2, 2]
    found = []
    for counted, lanes, seed, (least, least_rows) in itertools.product(
        (True, False), (1, 2), (None, 3), ((1, 1), (2, 1), (1, 12))
    ):
        for epoch in (0, 7) if seed else (0,):
            batches = stream_batches(
                sources, least=least, least_rows=least_rows, n_lanes=lanes, seed=seed, epoch=epoch, counted=counted
            )
            settings = {"min_samples_per_stratum": least, "min_batch_size": least_rows, "lanes": lanes}
            found.append({"counted": counted, "settings": settings, "seed": seed, "epoch": epoch, "batches": batches})
    for counted, lanes, seed in itertools.product((True, False), (1, 2), (None, 3)):
        own = [sources[0], [], sources[1], sources[3], [], sources[5]]
        batches = stream_batches(own, least=2, least_rows=1, n_lanes=lanes, seed=seed, epoch=1, counted=counted)
        settings = {"min_samples_per_stratum": 2, "lanes": lanes}
        case = {"counted": counted, "settings": settings, "seed": seed, "epoch": 1, "sources": own, "batches": batches}
        found.append(case)
    for lanes, seed, (mean, rare) in itertools.product(
        (1, 2), (None, 3), ((9, "error"), (40, "error"), (4, "allow"), (5, "allow"))
    ):
        for epoch in (0, 7) if seed else (0,):
            batches = stream_batches(sources, mean=mean, n_lanes=lanes, seed=seed, epoch=epoch, counted=True)
            settings = {"mean_batch_size": mean, "rare": rare, "lanes": lanes}
            found.append({"counted": True, "settings": settings, "seed": seed, "epoch": epoch, "batches": batches})
    for counted, lanes, together in itertools.product((True, False), (1, 2), (2, 3)):
        batches = stream_batches(sources, together=together, n_lanes=lanes, seed=3, epoch=7, counted=counted)
        settings = {"min_samples_per_stratum": 1, "shuffle_sources": together, "lanes": lanes}
        found.append({"counted": counted, "settings": settings, "seed": 3, "epoch": 7, "batches": batches})
    for lanes, together, seed, (mean, way) in itertools.product((1, 2), (1, 2), (None, 3), WAYS):
        for epoch in (0, 7) if seed else (1,):
            if seed or together == 1:
                batches = taken_batches(
                    sources, mean=mean, n_lanes=lanes, together=together, seed=seed, epoch=epoch, **_in_order(way)
                )
                settings = {"mean_batch_size": mean, "lanes": lanes, "shuffle_sources": together, **way}
                found.append({"counted": True, "settings": settings, "seed": seed, "epoch": epoch, "batches": batches})
    return [
        {
            "sources": sources,
            "strata": STRATA,
            "buffers": buffers() + small_buffers() + grouped_buffers(),
            "cases": found,
        }
    ]


def buffers() -> list[dict[str, Any]]:
    """Return the rows that lanes may hold, for counts whose products no double holds exactly."""
    random = np.random.default_rng(208)  # with which doubles give other numbers in the second and the last case
    least = 2**31 - 1
    found = []
    for n_sources, n_lanes, largest in ((2, 1, 2**50), (40, 1, 2**44), (60, 2, 2**44), (120, 3, 2**43)):
        counts = random.integers(
            [largest // 2, 5 * 10**8, 10**9], [largest, 6 * 10**8, 2 * 10**9], (n_sources, 3)
        )
        counts[0, 1] += 3 * least  # enough for a batch, also in two sources
        needed = rows_held(counts.tolist(), least=least, n_lanes=n_lanes)
        found.append({"counts": counts.tolist(), "lanes": n_lanes, "min_samples_per_stratum": least, "needed": needed})
    return found


def small_buffers() -> list[dict[str, Any]]:
    """Return the rows that lanes may hold, for many small tables of counts."""
    random = np.random.default_rng(1)
    found = []
    for n_sources, _ in itertools.product(range(1, 9), range(30)):
        counts = random.integers(1, 40, (n_sources, 3)) * (random.random((n_sources, 3)) < 0.7)
        n_lanes = int(random.integers(1, n_sources + 1))
        fewest = min(int(counts[lane::n_lanes].sum(axis=0).min()) for lane in range(n_lanes))
        if fewest:
            least = int(random.integers(1, fewest + 1))
            needed = rows_held(counts.tolist(), least=least, n_lanes=n_lanes)
            case = {"counts": counts.tolist(), "lanes": n_lanes, "min_samples_per_stratum": least, "needed": needed}
            found.append(case)
    return found


def grouped_buffers() -> list[dict[str, Any]]:
    """Return the rows that lanes may hold if sources are read together."""
    found = []
    for together, case in zip(itertools.cycle((2, 3, 5)), small_buffers()[90::4]):
        given = {name: case[name] for name in ("counts", "lanes", "min_samples_per_stratum")}
        needed = rows_held(
            case["counts"], least=case["min_samples_per_stratum"], n_lanes=case["lanes"], together=together
        )
        if together <= len(case["counts"]):
            found.append({**given, "shuffle_sources": together, "needed": needed})
    return found


def as_text() -> str:
    """Return the file, one case a line; a case may have its own sources."""
    (content,) = cases()
    lines = ",\n".join(json.dumps(case) for case in content.pop("cases"))
    return json.dumps(content)[:-1] + f', "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    GOLDEN.write_text(as_text(), encoding="utf-8")
