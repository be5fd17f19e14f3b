"""Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking by the core (lua_pattern.h)."""

from __future__ import annotations

from dataclasses import dataclass

from pystrat.corpus._lua import reason_of, search


class TooManySteps(Exception):
    """The back references of a pattern take too many steps for a text."""


@dataclass(frozen=True)
class LuaPattern:
    """A pattern that is not malformed."""

    pattern: bytes

    def search(self, text: bytes) -> bool:
        """Return whether Lua's ``string.match`` finds the pattern in a text.

        Raises
        ------
        TooManySteps
            If its back references take more than 200,000 steps.
        """
        found = search(self.pattern, text)
        if found is None:
            raise TooManySteps
        return found


def compile_lua_pattern(pattern: bytes) -> LuaPattern:
    """Check a pattern.

    Parameters
    ----------
    pattern : bytes
        A pattern of Lua 5.1, without a zero byte (Lua writes ``%z`` instead).

    Returns
    -------
    LuaPattern

    Raises
    ------
    ValueError
        If the pattern is malformed, or contains ``%b``, which is not supported; the message says why.
    """
    reason = reason_of(pattern)
    if reason is not None:
        raise ValueError(reason)
    return LuaPattern(pattern)
