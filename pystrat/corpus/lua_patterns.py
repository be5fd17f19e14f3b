"""Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking.

A Lua pattern is a sequence of items: a class of bytes, which may be repeated by ``*``, ``+``, ``-`` or ``?``; a
parenthesis of a capture, which cannot be repeated; a back reference ``%1``; a frontier ``%f[set]``. There is no
alternation. Every class is expanded to its bytes, and a malformed pattern is refused at once, while Lua may notice it
only during a match.

Lua tries one way after another through a text, and there may be exponentially many. Here all ways advance together:
after each item, the places that some way has reached are a set. Only back references depend on the contents of
captures, so there is one set for each content of the captures that are still referred to. A limit on the number of the
places in these sets bounds time and memory. Contents are compared by numbers, so that the time does not depend on how
long they are.

Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012);
R. M. Karp, R. E. Miller and A. L. Rosenberg, "Rapid identification of repeated patterns in strings, trees and arrays"
(1972), for the numbers.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, Sequence

MAX_CAPTURES = 32
MAX_STEPS = 200_000  # places in sets that depend on captures, over all items of a pattern, for one text
_ALL = frozenset(range(256))
_REPEATS = (b"*", b"+", b"-", b"?")
# Places in ascending order, by the captures, as pairs of a number and their beginning or content.
_States = dict[tuple[Any, ...], list[int]]


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


class TooManySteps(Exception):
    """The back references of a pattern take too many steps for a text."""


@dataclass(frozen=True)
class _Item:
    """An item of a pattern.

    Attributes
    ----------
    kind : str
        "single", "frontier", "begin", "end", "open", "close", "back" or "nothing", which never matches.
    members : frozenset of int
        The bytes of a single one or of the set of a frontier.
    repeat : bytes
        The repetition of a single one.
    number : int
        The number of the capture that is opened, closed or referred to.
    """

    kind: str
    members: frozenset[int] = frozenset()
    repeat: bytes = b""
    number: int = 0


@dataclass(frozen=True)
class LuaPattern:
    """A compiled pattern."""

    items: tuple[_Item, ...]

    def search(self, text: bytes) -> bool:
        """Return whether Lua's ``string.match`` finds the pattern in a text.

        Raises
        ------
        TooManySteps
            If its back references take more than 200,000 steps.
        """
        last_use = {item.number: place for place, item in enumerate(self.items) if item.kind == "back"}
        substrings = _Substrings(text if last_use else b"")
        states: _States = {(): list(range(len(text) + 1))}
        n_steps = 0
        for place, item in enumerate(self.items):
            if item.number == 0:
                found = _advanced(item, states, text, MAX_STEPS - n_steps)
            elif item.number in last_use:
                found = _with_captures(item, states, substrings, is_last=last_use[item.number] == place)
            else:
                continue
            states = {captures: reached for captures, reached in found.items() if reached}
            n_steps += sum(len(reached) for captures, reached in states.items() if captures)
            if n_steps > MAX_STEPS:
                raise TooManySteps
            if not states:
                return False
        return True


class _Substrings:
    """Numbers the substrings of a text, so that two of them can be compared in constant time.

    Those of 1, 2, 4, 8, ... bytes have numbers, equal if they are equal. Any other is covered by two of these.

    Parameters
    ----------
    text : bytes
    """

    def __init__(self, text: bytes) -> None:
        self._n = len(text)
        self._numbers: list[Sequence[int]] = [text]
        width = 1
        while 2 * width <= len(text):
            halves = self._numbers[-1]
            numbers: dict[tuple[int, int], int] = {}
            self._numbers.append([numbers.setdefault(pair, len(numbers)) for pair in zip(halves, halves[width:])])
            width *= 2

    def content(self, begin: int, end: int) -> tuple[int, int, int]:
        """Return the length of a substring and two numbers, which are the same for equal substrings."""
        length = end - begin
        if length == 0:
            return 0, 0, 0
        level = length.bit_length() - 1
        numbers = self._numbers[level]
        return length, numbers[begin], numbers[end - (1 << level)]

    def is_at(self, begin: int, content: tuple[int, int, int]) -> bool:
        """Return whether a content is found at a place."""
        end = begin + content[0]
        return end <= self._n and self.content(begin, end) == content


def _advanced(item: _Item, states: _States, text: bytes, n_left: int) -> _States:
    """Return the places that an item reaches from others; place i is before text[i]."""
    if item.kind == "single":
        return _repeated(item, states, text, n_left)
    fits: set[int] = set()
    if item.kind == "begin":
        fits = {0}
    elif item.kind == "end":
        fits = {len(text)}
    elif item.kind == "frontier":
        padded = b"\0" + text + b"\0"
        inside = [byte in item.members for byte in padded]
        fits = {place for place in range(len(text) + 1) if inside[place + 1] and not inside[place]}
    return {captures: [place for place in reached if place in fits] for captures, reached in states.items()}


def _repeated(item: _Item, states: _States, text: bytes, n_left: int) -> _States:
    """Return the places behind the bytes that match a class; stop when the places exceed what is left of the limit."""
    fits = [byte in item.members for byte in text] + [False]
    ends = [] if item.repeat in (b"", b"?") else _ends_of_runs(fits)
    found: _States = {}
    for captures, reached in states.items():
        once = [place + 1 for place in reached if fits[place]] if item.repeat in (b"", b"+", b"?") else []
        if item.repeat == b"":
            found[captures] = once
        elif item.repeat == b"?":
            found[captures] = sorted({*reached, *once})
        else:
            found[captures] = _runs(once if item.repeat == b"+" else reached, ends)
        n_left -= len(found[captures]) if captures else 0
        if n_left < 0:
            raise TooManySteps
    return found


def _ends_of_runs(fits: list[bool]) -> list[int]:
    """Return where the matching bytes that follow each place end."""
    ends = list(range(len(fits)))
    for place in range(len(fits) - 2, -1, -1):
        if fits[place]:
            ends[place] = ends[place + 1]
    return ends


def _runs(begins: list[int], ends: list[int]) -> list[int]:
    """Return all places from each of some places to its end, once each."""
    found: list[int] = []
    covered = -1
    for begin in begins:
        if begin > covered:
            covered = ends[begin]
            found.extend(range(begin, covered + 1))
    return found


def _with_captures(item: _Item, states: _States, substrings: _Substrings, *, is_last: bool) -> _States:
    """Open or close a capture that is referred to later, or match its content."""
    found: dict[tuple[Any, ...], set[int]] = {}
    for captures, reached in states.items():
        held = dict(captures)
        known = held.pop(item.number, None)
        others = tuple(held.items())
        for place in reached:
            end, kept = place, others
            if item.kind == "open":
                kept += ((item.number, place),)
            elif item.kind == "close":
                kept += ((item.number, substrings.content(known, place)),)
            elif not substrings.is_at(place, known):
                continue
            else:
                end += known[0]
                kept = others if is_last else captures
            found.setdefault(kept, set()).add(end)
    return {captures: sorted(reached) for captures, reached in found.items()}


def compile_lua_pattern(pattern: bytes) -> LuaPattern:
    """Compile a pattern.

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
    return LuaPattern(_Reader(pattern).items())


class _Reader:
    """Reads the items of one pattern."""

    def __init__(self, pattern: bytes) -> None:
        if b"\0" in pattern:
            raise ValueError("it contains a zero byte (write %z)")
        self._pattern = pattern
        self._place = 0
        self._open: list[int] = []  # captures that are not yet closed
        self._positions: list[bool] = []  # for each capture, whether it is a position, ()

    def items(self) -> tuple[_Item, ...]:
        found = [_Item("begin")] if self._take(b"^") else []
        while self._place < len(self._pattern):
            found.append(self._item())
        if self._open:
            raise ValueError("a capture is not closed")
        return tuple(found)

    def _item(self) -> _Item:
        if self._pattern[self._place :] == b"$":
            self._place += 1
            return _Item("end")
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
        members = self._single()
        return _Item("single", members, next((sign for sign in _REPEATS if self._take(sign)), b""))

    def _next(self, ahead: int) -> bytes:
        return self._pattern[self._place + ahead : self._place + ahead + 1]

    def _take(self, prefix: bytes) -> bool:
        """Skip the prefix if it comes next, and return whether it did."""
        found = self._pattern.startswith(prefix, self._place)
        self._place += len(prefix) if found else 0
        return found

    def _open_capture(self) -> _Item:
        if len(self._positions) == MAX_CAPTURES:
            raise ValueError(f"it has more than {MAX_CAPTURES} captures")
        is_position = self._take(b")")
        self._positions.append(is_position)
        number = len(self._positions)
        if not is_position:
            self._open.append(number)
        return _Item("open", number=number)

    def _close_capture(self) -> _Item:
        if not self._open:
            raise ValueError("a capture is closed that was not opened")
        return _Item("close", number=self._open.pop())

    def _back_reference(self, number: int) -> _Item:
        if not 1 <= number <= len(self._positions) or number in self._open:
            raise ValueError(f"%{number} refers to no finished capture")
        if self._positions[number - 1]:
            return _Item("nothing")  # Lua treats a position as a capture of endless length, which is never found
        return _Item("back", number=number)

    def _frontier(self) -> _Item:
        """Match between a byte outside the set and one inside, where a zero byte represents both ends of the text."""
        if self._next(0) != b"[":
            raise ValueError("%f is not followed by a set")
        return _Item("frontier", self._single())

    def _single(self) -> frozenset[int]:
        """Skip a class of one byte and return its members."""
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
        """Return the place of the closing bracket; one that comes first, or after %, is a member."""
        end = self._place
        while end == self._place or self._pattern[end : end + 1] != b"]":
            if end >= len(self._pattern):
                raise ValueError("a set is not closed (']' is missing)")
            end += 2 if self._pattern[end : end + 1] == b"%" else 1
        return end
