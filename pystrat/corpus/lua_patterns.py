"""Lua's patterns (version 5.1, the one of Torch) as regular expressions over bytes.

A Lua pattern is a row of items: a class of bytes, which may be repeated by ``*``, ``+``, ``-`` or ``?``; a parenthesis
of a capture, which cannot be repeated; a back reference ``%1``; a frontier ``%f[set]``. There is no alternation. Every
class is worked out to the bytes that belong to it, so that no character means anything in the regular expression by
accident, and what Lua would find malformed only when it gets there is refused at once.

Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012).
"""

from __future__ import annotations

import re
import string
from typing import Optional

MAX_CAPTURES = 32
_ALL = frozenset(range(256))
_REPEATS = {b"*": b"*", b"+": b"+", b"-": b"*?", b"?": b"?"}


def _bytes_of(characters: str) -> frozenset[int]:
    return frozenset(characters.encode("ascii"))


_LETTERS, _DIGITS = _bytes_of(string.ascii_letters), _bytes_of(string.digits)
_CLASSES = {
    b"a": _LETTERS,
    b"c": frozenset(range(32)) | {127},
    b"d": _DIGITS,
    b"l": _bytes_of(string.ascii_lowercase),
    b"p": _bytes_of(string.punctuation),
    b"s": _bytes_of(" \t\n\v\f\r"),
    b"u": _bytes_of(string.ascii_uppercase),
    b"w": _LETTERS | _DIGITS,
    b"x": _bytes_of(string.hexdigits),
    b"z": frozenset([0]),
}


def compile_lua_pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Return a regular expression whose ``search`` finds a match where Lua's ``string.match`` does.

    Parameters
    ----------
    pattern : bytes
        A pattern of Lua 5.1, without a zero byte (Lua writes ``%z`` for it).

    Returns
    -------
    re.Pattern of bytes

    Raises
    ------
    ValueError
        Where the pattern is malformed, or has ``%b``, which no regular expression can match; the message tells why.
    """
    return re.compile(_Translation(pattern).regular_expression(), re.DOTALL)


class _Translation:
    """One pattern on its way to a regular expression."""

    def __init__(self, pattern: bytes) -> None:
        if b"\0" in pattern:
            raise ValueError("it contains a zero byte (write %z)")
        self._pattern = pattern
        self._place = 0
        self._open: list[int] = []  # captures that are not closed yet
        self._positions: list[bool] = []  # of each capture, whether it is a position, ()

    def regular_expression(self) -> bytes:
        parts = [rb"\A"] if self._take(b"^") else []
        while self._place < len(self._pattern):
            parts.append(self._item())
        if self._open:
            raise ValueError("a capture is not closed")
        return b"".join(parts)

    def _item(self) -> bytes:
        if self._pattern[self._place :] == b"$":
            self._place += 1
            return rb"\Z"
        if self._take(b"("):
            return self._open_capture()
        if self._take(b")"):
            return self._close_capture()
        if self._take(b"%b"):
            raise ValueError("%b, a balanced pair, is not supported")
        if self._take(b"%f"):
            return self._frontier()
        if self._pattern[self._place : self._place + 1] == b"%" and self._next(1).isdigit():
            self._place += 2
            return self._back_reference(int(self._pattern[self._place - 1 : self._place]))
        members = _as_class(self._single())
        return members + next((_REPEATS[sign] for sign in _REPEATS if self._take(sign)), b"")

    def _next(self, ahead: int) -> bytes:
        return self._pattern[self._place + ahead : self._place + ahead + 1]

    def _take(self, prefix: bytes) -> bool:
        """Pass over what comes next where it is that."""
        found = self._pattern.startswith(prefix, self._place)
        self._place += len(prefix) if found else 0
        return found

    def _open_capture(self) -> bytes:
        if len(self._positions) == MAX_CAPTURES:
            raise ValueError(f"it has more than {MAX_CAPTURES} captures")
        is_position = self._take(b")")
        self._positions.append(is_position)
        if is_position:
            return b"()"
        self._open.append(len(self._positions))
        return b"("

    def _close_capture(self) -> bytes:
        if not self._open:
            raise ValueError("a capture is closed that was not opened")
        self._open.pop()
        return b")"

    def _back_reference(self, number: int) -> bytes:
        if not 1 <= number <= len(self._positions) or number in self._open:
            raise ValueError(f"%{number} refers to no finished capture")
        if self._positions[number - 1]:
            return b"(?!)"  # Lua takes a position for a capture of endless length, which is found nowhere
        return b"(?:\\%d)" % number

    def _frontier(self) -> bytes:
        """Between a byte outside the set and one inside, a zero byte standing for both ends of the text."""
        if self._next(0) != b"[":
            raise ValueError("%f is not followed by a set")
        inside = self._single()
        before, after = b"(?<=%b)" % _as_class(_ALL - inside), b"(?=%b)" % _as_class(inside)
        if 0 in inside:
            return before + b"(?:%b|\\Z)" % after
        return b"(?:%b|\\A)" % before + after

    def _single(self) -> frozenset[int]:
        """Pass over a class of one byte and return its members."""
        if self._take(b"."):
            return _ALL
        if self._take(b"["):
            return self._set()
        if self._take(b"%"):
            return self._escaped()
        self._place += 1
        return frozenset(self._pattern[self._place - 1 : self._place])

    def _escaped(self) -> frozenset[int]:
        letter = self._next(0)
        if not letter:
            raise ValueError("it ends with %")
        self._place += 1
        members = _CLASSES.get(letter.lower())
        if members is None:
            return frozenset(letter)
        return members if letter.islower() else _ALL - members

    def _set(self) -> frozenset[int]:
        negated = self._take(b"^")
        end = self._end_of_set()
        members: set[int] = set()
        while self._place < end:
            if self._take(b"%"):
                members |= self._escaped()
            elif self._next(1) == b"-" and self._place + 2 < end:
                members |= set(range(self._pattern[self._place], self._pattern[self._place + 2] + 1))
                self._place += 3
            else:
                members.add(self._pattern[self._place])
                self._place += 1
        self._place = end + 1
        return _ALL - members if negated else frozenset(members)

    def _end_of_set(self) -> int:
        """Return the place of the bracket that closes; one that comes first, or after %, is a member."""
        end = self._place
        while end == self._place or self._pattern[end : end + 1] != b"]":
            if end >= len(self._pattern):
                raise ValueError("a set is not closed (']' is missing)")
            end += 2 if self._pattern[end : end + 1] == b"%" else 1
        return end


def _as_class(members: frozenset[int]) -> bytes:
    """Write a class out, in ranges."""
    if members == _ALL:
        return b"."
    if not members:
        return b"[^\\x00-\\xff]"
    ranges = []
    first: Optional[int] = None
    for value in range(257):
        if value in members and first is None:
            first = value
        elif value not in members and first is not None:
            ranges.append(b"\\x%02x-\\x%02x" % (first, value - 1))
            first = None
    return b"[%b]" % b"".join(ranges)
