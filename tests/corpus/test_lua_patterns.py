"""The Lua patterns of rules match what the real Lua matches."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pystrat.corpus.rules import data_of_rules
from tests.levels import IS_THOROUGH

RULES, SUBJECTS_A_PATTERN = "file_rules", 3
N_PAIRS = 90_000 if IS_THOROUGH else 6_000

# Reads pairs of lines, pattern and subject in hexadecimal; prints 1, 0, or E where Lua raises an error.
LUA = """
local function bytes(text) return (text:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)) end
while true do
  local pattern, subject = io.read("*l"), io.read("*l")
  if not pattern then break end
  local fine, found = pcall(string.match, bytes(subject), bytes(pattern))
  print(fine and (found and "1" or "0") or "E")
end
"""


def covers(pattern: bytes, *names: bytes) -> list[bool]:
    """Return whether a pattern is found in the names of files; nothing if it is refused."""
    try:
        return [
            bool(rule) for rule in data_of_rules([os.fsdecode(pattern) + " 1"], list(map(os.fsdecode, names)))[RULES]
        ]
    except ValueError:
        return []


def in_lua(pairs: list[tuple[bytes, bytes]], folder: Path) -> list[str]:
    program = shutil.which("lua5.1")
    assert program is not None, "lua5.1 was not found; the Debian package has this name"
    script = folder / "match.lua"
    script.write_text(LUA, encoding="ascii")
    lines = "".join(f"{pattern.hex()}\n{subject.hex()}\n" for pattern, subject in pairs)
    done = subprocess.run([program, str(script)], input=lines, capture_output=True, text=True, check=True)
    return done.stdout.split()


ATOMS = [b"a", b"b", b"-", b".", b"%.", b"%%", b"$", b"^", b"*", b"+", b"?", b"]", b"1", b"\xc3", b"%]"]
ATOMS += [b"%" + bytes([letter]) for letter in b"acdlpsuwxzACDLPSUWXZgq"]
MEMBERS = [*ATOMS, b"a-c", b"0-9", b"%a-z", b"b-a", b"\x80-\xff", b"-", b"^", b"[", b"a-%", b"]"]
SUBJECT_BYTES = b"aabbc1AB-.%$^*+? ]\n\xc3\xa9_("


def random_pattern(dice: random.Random) -> bytes:
    """Return a pattern, of which half are valid: captures may be open, and references lead nowhere."""

    def some_set() -> bytes:
        return b"[" + dice.choice([b"", b"^"]) + b"".join(dice.choices(MEMBERS, k=dice.randint(1, 4))) + b"]"

    def part() -> bytes:
        atom = dice.choice(
            [dice.choice(ATOMS), some_set(), b"(" + dice.choice(ATOMS) + b")", b"()", b"%1", b"%f" + some_set()]
        )
        return atom + dice.choice([b"", b"", b"", b"*", b"+", b"-", b"?"])

    parts = b"".join(part() for _ in range(dice.randint(1, 7)))
    return dice.choice([b"", b"", b"", b"^", b"("]) + parts + dice.choice([b"", b"", b"$", b")"])


def random_subject(dice: random.Random) -> bytes:
    return bytes(dice.choice(SUBJECT_BYTES) for _ in range(dice.randint(0, 12)))


def test_random_patterns_match_as_in_lua(tmp_path: Path) -> None:
    """What Lua finds malformed on some name was refused."""
    dice = random.Random(1)
    pairs, ours, refused = [], [], 0
    while len(pairs) < N_PAIRS:
        pattern, subjects = random_pattern(dice), [random_subject(dice) for _ in range(SUBJECTS_A_PATTERN)]
        if pattern.strip(b"^") in (b"", b"*"):  # no pattern, and one that is found in every name
            continue
        found = covers(pattern, *subjects)
        refused += not found
        pairs.extend((pattern, subject) for subject in subjects if found)
        ours.extend("01"[is_found] for is_found in found)
    differing = [(*pair, lua) for pair, mine, lua in zip(pairs, ours, in_lua(pairs, tmp_path)) if mine != lua]
    assert not differing, differing[:5]
    assert 0.1 < ours.count("1") / len(ours) < 0.9 and refused * SUBJECTS_A_PATTERN < 2 * N_PAIRS


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"%", "it ends with %"),
        (b"[a", "a set is not closed"),
        (b"[]", "a set is not closed"),
        (b"[%", "a set is not closed"),
        (b"(a", "a capture is not closed"),
        (b"a)", "a capture is closed that was not opened"),
        (b"%1", "%1 refers to no finished capture"),
        (b"(%1)", "%1 refers to no finished capture"),
        (b"(a)%0", "%0 refers to no finished capture"),
        (b"%fa", "%f is not followed by a set"),
        (b"%bxy", "%b, a balanced pair, is not supported"),
        (b"()" * 33, "it has more than 32 captures"),
        (b"a\0", "it contains a zero byte"),
    ],
)
def test_malformed_patterns(pattern: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=f"must have valid Lua patterns. Got .* In this one, {re.escape(reason)}[.]$"):
        data_of_rules([os.fsdecode(pattern) + " 1"], [])


def test_alternatives_refer_to_their_own_captures() -> None:
    found = data_of_rules(["x,(%a)(%a)%2,()%1,(%d)%1$ 1"], ["abb", "aab", "11", "11b", "ax"])
    assert found[RULES].tolist() == [1, 0, 1, 0, 1]
