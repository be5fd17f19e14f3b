"""Tables of what is refused, and with which message."""

from __future__ import annotations

import re
from typing import Any, Callable, Sequence

import pytest


def refusals(
    make: Callable[..., Any], cases: Sequence[tuple[dict[str, Any], str]], fixture: str = ""
) -> Callable[..., None]:
    """Return a test: each call with some parameters is refused with a message that has a text or matches a pattern.

    The value of a fixture is the first argument of the call.
    """

    @pytest.mark.parametrize(("parameters", "message"), cases)
    def test(request: pytest.FixtureRequest, parameters: dict[str, Any], message: str) -> None:
        given = [request.getfixturevalue(fixture)] if fixture else []
        with pytest.raises((TypeError, ValueError)) as refused:
            make(*given, **parameters)
        assert message in str(refused.value) or re.search(message, str(refused.value)), str(refused.value)

    return test
