"""The two levels of the tests: `make test` shows each guarantee once, `make thorough` tries all there is.

The second level adds the tests marked `thorough`, the remaining cases of long loops, and many more examples of each
property.
"""

from __future__ import annotations

import os
import random
from typing import Iterable, List, TypeVar

from hypothesis import HealthCheck, settings

IS_THOROUGH = os.environ.get("THOROUGH") == "1"
Case = TypeVar("Case")


def some_of(cases: Iterable[Case], count: int, of: str = "") -> List[Case]:
    """Return `count` of the cases, always the same ones for a name; in `make thorough`, all of them."""
    found = list(cases)
    if IS_THOROUGH or len(found) <= count:
        return found
    return [found[place] for place in sorted(random.Random(of).sample(range(len(found)), count))]


def load_profile() -> None:
    """Set the number of examples of properties. No test asserts a time, so neither do they."""
    settings.register_profile(
        "level",
        deadline=None,
        max_examples=500 if IS_THOROUGH else 25,
        stateful_step_count=50 if IS_THOROUGH else 20,
        database=None,  # a run does not depend on the one before
        # Fixtures are folders, in which each example writes its own files; a few examples may all be large.
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
        ],
    )
    settings.load_profile("level")
