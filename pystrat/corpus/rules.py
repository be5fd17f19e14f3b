"""Rules of distribution: the share of the sample that comes from each file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from pystrat.messages import check_list, refused_value, show
from pystrat.regular_files import check_regular
from pystrat.corpus._lua import MAX_STEPS
from pystrat.corpus.lua_patterns import LuaPattern, TooManySteps, compile_lua_pattern

RuleSource = Union[str, "os.PathLike[str]", Sequence[str], Sequence["Rule"]]
_KEEP = b"*"
_LONGEST_WEIGHT = 4300  # the digits that Python converts to an integer
_WEIGHT = re.compile(rb"[0-9]+(\.[0-9]*)?|\.[0-9]+")


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    number : int
        Its position among the rules, from 1; comments do not count.
    text : str
        The pattern as it was written.
    written : str or None
        The weight as it was written. If None, all lines of the files are kept.
    alternatives : tuple of LuaPattern
        One of them is found in the name of each file that the rule covers; if empty, it covers every file.
    """

    number: int
    text: str
    written: Optional[str]
    alternatives: tuple[LuaPattern, ...]

    @property
    def weight(self) -> Optional[Fraction]:
        """The weight as an exact fraction; None if all lines of the files are kept."""
        return None if self.written is None else Fraction(self.written)

    def covers(self, name: bytes) -> bool:
        """Return whether the rule covers a file with this name, without suffix."""
        return not self.alternatives or any(pattern.search(name) for pattern in self.alternatives)


def read_rules(source: RuleSource) -> tuple[Rule, ...]:
    """Read rules, one per line: a pattern, blanks or tabs, and a weight.

    Parameters
    ----------
    source : path or sequence of str
        A file of rules, or its lines; or rules that were read before, which are returned. Lines that start with ``#``
        are comments; empty lines are ignored. The pattern is ``*`` alone, which covers every file, or Lua patterns
        separated by commas, one of which must be found anywhere in the file's name. The weight is a positive decimal
        number, or ``*`` to keep all lines.

    Returns
    -------
    tuple of Rule

    Raises
    ------
    TypeError, ValueError
        If `source` is neither, such as the path of a FIFO, or a line is not a rule; the message has its number, and
        says what is wrong with it.
    OSError
        If the file cannot be read.
    """
    rules: list[Rule] = []
    for place, line in enumerate(_lines_of(source), start=1):
        if isinstance(line, Rule):
            rules.append(line)
            continue
        line = line.rstrip(b"\r")
        words = [word for word in re.split(rb"[ \t]+", line) if word]
        if words and not line.startswith(b"#"):
            rules.append(_rule(words, len(rules) + 1, place))
    return tuple(rules)


def _lines_of(source: Any) -> Sequence[Union[bytes, Rule]]:
    """Return the lines of rules as bytes; rules that were read before are unchanged."""
    required = "be a file of rules, or a list of rules"
    if isinstance(source, (str, os.PathLike)):
        if not os.path.exists(source):
            advice = "Put a rule that is written out into a list."
            raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
        check_regular(source, "rules")
        return Path(source).read_bytes().split(b"\n")
    lines = check_list(source, "rules", required=required, kinds=(str, Rule))
    return [line if isinstance(line, Rule) else encoded(line, "rules") for line in lines]


def encoded(text: str, parameter: str) -> bytes:
    """Return text as bytes, the form of file names; refuse text that no name can contain."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise refused_value(parameter, "hold text that names of files can have", ascii(text)) from None


def find_rule(rules: Sequence[Rule], name: bytes) -> Optional[Rule]:
    """Return the rule that covers a file: the first that keeps all its lines, else the first that has a weight.

    Raises
    ------
    ValueError
        If the back references of a rule take too long for the name.
    """
    for rule in sorted(rules, key=lambda rule: rule.written is not None):
        try:
            if rule.covers(name):
                return rule
        except TooManySteps:
            required = f"have patterns that take at most {MAX_STEPS} steps for a name"
            got = f"{show(rule.text)} for {show(os.fsdecode(name))}"
            advice = "Use fewer captures that are referred to."
            raise refused_value("rules", required, got, advice) from None
    return None


def _rule(words: list[bytes], number: int, line: int) -> Rule:
    def refuse(required: str, got: bytes, advice: Optional[str] = None) -> ValueError:
        return refused_value("rules", required, f"{show(os.fsdecode(got))} on line {line}", advice)

    if len(words) > 2:
        raise refuse("have a pattern and a weight on each line, and no third word", words[2])
    if len(words) < 2:
        raise refuse("have a pattern and a weight on each line", words[0])
    pattern, weight = words
    if len(weight) > _LONGEST_WEIGHT:
        required = f"have weights of at most {_LONGEST_WEIGHT} digits"
        raise refused_value("rules", required, f"{len(weight)} on line {line}")
    if weight != _KEEP and (not _WEIGHT.fullmatch(weight) or Fraction(weight.decode("ascii")) == 0):
        raise refuse("have weights that are positive decimal numbers, or '*'", weight)
    alternatives = [] if pattern == b"*" else pattern.split(b",")
    if b"" in alternatives:
        raise refuse("have no empty alternative between commas", pattern)
    compiled = []
    for alternative in alternatives:
        try:
            compiled.append(compile_lua_pattern(alternative))
        except ValueError as error:
            raise refuse("have valid Lua patterns", alternative, f"In this one, {error}.") from None
    written = None if weight == _KEEP else weight.decode("ascii")
    return Rule(number, os.fsdecode(pattern), written, tuple(compiled))
