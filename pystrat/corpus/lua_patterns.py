"""Lua patterns as regular expressions, which match the same bytes in Python and, as PCRE, in R."""

from __future__ import annotations

from typing import Iterable

_CLASSES = {
    "a": [(65, 90), (97, 122)],
    "c": [(0, 31), (127, 127)],
    "d": [(48, 57)],
    "l": [(97, 122)],
    "p": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "s": [(9, 13), (32, 32)],
    "u": [(65, 90)],
    "w": [(48, 57), (65, 90), (97, 122)],
    "x": [(48, 57), (65, 70), (97, 102)],
    "z": [(0, 0)],
}
_ALL = frozenset(range(256))
_END = rb"(?![\x00-\xff])"
_NOTHING = b"(?!)"


class MalformedPattern(ValueError):
    """Why a text is no pattern."""


def lua_to_regex(pattern: bytes) -> bytes:
    """Return the regular expression of a pattern: a search with it finds what Lua 5.1 finds.

    Raises
    ------
    MalformedPattern
        If Lua would find the pattern malformed, or it has `%b`.
    """
    if 0 in pattern:
        raise MalformedPattern("it contains a zero byte")
    out = []
    captures: list[bytes] = []  # of each capture: b"open", b"closed", or b"position"
    place, size = 0, len(pattern)
    if pattern.startswith(b"^"):
        out.append(b"^")
        place = 1
    while place < size:
        letter = pattern[place : place + 1]
        following = pattern[place + 1 : place + 2]
        if letter == b"$" and not following:
            out.append(_END)
            place += 1
        elif letter == b"(":
            is_position = following == b")"
            captures.append(b"position" if is_position else b"open")
            if len(captures) > 32:
                raise MalformedPattern("it has more than 32 captures")
            out.append(b"()" if is_position else b"(")
            place += 2 if is_position else 1
        elif letter == b")":
            if b"open" not in captures:
                raise MalformedPattern("a capture is closed that was not opened")
            captures[len(captures) - 1 - captures[::-1].index(b"open")] = b"closed"
            out.append(b")")
            place += 1
        elif letter == b"%" and following.isdigit():
            number = int(following)
            if not 0 < number <= len(captures) or captures[number - 1] == b"open":
                raise MalformedPattern(f"%{number} refers to no finished capture")
            out.append(_NOTHING if captures[number - 1] == b"position" else b"(?:\\%d)" % number)
            place += 2
        elif letter == b"%" and following == b"b":
            raise MalformedPattern("%b, a balanced pair, is not supported")
        elif letter == b"%" and following == b"f":
            if pattern[place + 2 : place + 3] != b"[":
                raise MalformedPattern("%f is not followed by a set")
            members, place = _item(pattern, place + 2)
            out.append(_frontier(members))
        else:
            members, place = _item(pattern, place)
            repetition = pattern[place : place + 1]
            is_repeated = repetition in (b"*", b"+", b"-", b"?")
            out.append(_set(members) + ({b"-": b"*?"}.get(repetition, repetition) if is_repeated else b""))
            place += is_repeated
    if b"open" in captures:
        raise MalformedPattern("a capture is not closed")
    return b"".join(out)


def _item(pattern: bytes, place: int) -> tuple[frozenset[int], int]:
    """Return the bytes that the single item at a place matches, and the place behind it."""
    letter = pattern[place : place + 1]
    if letter == b"%":
        if place + 1 == len(pattern):
            raise MalformedPattern("it ends with %")
        return _class(pattern[place + 1]), place + 2
    if letter == b".":
        return _ALL, place + 1
    if letter != b"[":
        return frozenset(letter), place + 1
    begin = place + 1 + (pattern[place + 1 : place + 2] == b"^")
    end = begin
    while True:  # the first byte may be a closing bracket, and so may one behind %
        end += 2 if pattern[end : end + 1] == b"%" else 1
        if end >= len(pattern):
            raise MalformedPattern("a set is not closed")
        if pattern[end] == ord("]"):
            break
    members: set[int] = set()
    at = begin
    while at < end:
        if pattern[at] == ord("%"):
            members |= _class(pattern[at + 1])
            at += 2
        elif pattern[at + 1] == ord("-") and at + 2 < end:
            members.update(range(pattern[at], pattern[at + 2] + 1))
            at += 3
        else:
            members.add(pattern[at])
            at += 1
    is_negated = begin > place + 1
    return _ALL - members if is_negated else frozenset(members), end + 1


def _class(letter: int) -> frozenset[int]:
    """Return the bytes of a letter behind %: those of a class, those that are not in it, or the letter itself."""
    ranges = _CLASSES.get(chr(letter).lower())
    if letter > 127 or ranges is None:
        return frozenset([letter])
    members = frozenset(byte for first, last in ranges for byte in range(first, last + 1))
    return _ALL - members if chr(letter).isupper() else members


def _set(members: Iterable[int]) -> bytes:
    """Return the regular expression of one of some bytes."""
    known = set(members)
    ranges = []
    for byte in sorted(known):
        if byte - 1 not in known:
            ranges.append([byte, byte])
        ranges[-1][1] = byte
    if not ranges:
        return _NOTHING
    return b"[" + b"".join(b"\\x%02x-\\x%02x" % (first, last) for first, last in ranges) + b"]"


def _frontier(members: frozenset[int]) -> bytes:
    """Return where a byte outside of a set is followed by one in it; both ends of a text count as a zero byte."""
    if 0 in members:
        return b"(?<=" + _set(_ALL - members) + b")(?=" + _set(members) + b"|" + _END + b")"
    return b"(?<!" + _set(members) + b")(?=" + _set(members) + b")"
