"""The cases of groups that are together and have rows of several strata."""

from __future__ import annotations

from typing import Any

from tests.reference import golden_groups
from tests.reference.naive_mixed_groups import NaiveMixedGroups


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the case's sampler must give."""
    return golden_groups.expected_of(case, NaiveMixedGroups)
