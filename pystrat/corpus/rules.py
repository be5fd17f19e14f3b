"""Rules of distribution: the share of the sample that comes from each file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from pystrat.corpus.lua_patterns import MalformedPattern, lua_to_regex
from pystrat.messages import check_list, refused_value, show
from pystrat.regular_files import check_regular

RuleSource = Union[str, "os.PathLike[str]", Sequence[str], Sequence["Rule"]]
_WEIGHT = re.compile(r"(\d+\.?\d*|\.\d+)", re.ASCII)


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    number : int
        Its position among the rules, from 1; comments do not count.
    text : str
        The pattern as it was written.
    weight : float or None
        None if all lines of the files are kept.
    """

    number: int
    text: str
    weight: Optional[float]
    patterns: tuple[re.Pattern[bytes], ...] = field(default=(), repr=False)  # none for "*"

    def covers(self, name: bytes) -> bool:
        """Return whether one of the patterns is found in a name."""
        return not self.patterns or any(pattern.search(name) for pattern in self.patterns)


def read_rules(source: RuleSource) -> tuple[Rule, ...]:
    """Read rules, one per line: a pattern, blanks or tabs, and a weight.

    Parameters
    ----------
    source : path or sequence of str
        A file of rules, or its lines; or rules that were read before. Lines that start with ``#`` are comments; empty
        lines are ignored. The pattern is ``*`` alone, which covers every file, or Lua patterns separated by commas, one
        of which must be found anywhere in the file's name. The weight is a positive decimal number, or ``*`` to keep
        all lines.

    Raises
    ------
    TypeError, ValueError
        If `source` is neither, or a line is not a rule; the message has its number.
    OSError
        If the file cannot be read.
    """
    required = "be a file of rules, or a list of rules"
    if isinstance(source, (str, os.PathLike)):
        if not os.path.exists(source):
            advice = "Put a rule that is written out into a list."
            raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
        check_regular(source, "rules")
        lines = Path(source).read_bytes().split(b"\n")
    else:
        given = check_list(source, "rules", required=required, kinds=(str, Rule))
        if given and all(isinstance(line, Rule) for line in given):
            return tuple(given)
        lines = [line for text in given for line in encoded(text, "rules").split(b"\n")]
    rules: list[Rule] = []
    for number, line in enumerate(lines, start=1):
        words = line.rstrip(b"\r").replace(b"\t", b" ").split(b" ")
        words = [word for word in words if word]
        if words and not line.startswith(b"#"):
            rules.append(_rule(words, f"on line {number}", len(rules) + 1))
    return tuple(rules)


def _rule(words: list[bytes], where: str, number: int) -> Rule:
    if len(words) != 2:
        required = "have a pattern and a weight on each line" + (", and no third word" if len(words) > 2 else "")
        raise _refused(required, words[0] if len(words) < 2 else words[2], where)
    pattern, weight = words
    written = weight.decode("ascii", "replace")
    if weight != b"*" and not (_WEIGHT.fullmatch(written) and float(written) > 0):
        raise _refused("have weights that are positive decimal numbers, or '*'", weight, where)
    alternatives = [] if pattern == b"*" else pattern.split(b",")
    if b"" in alternatives:
        raise _refused("have no empty alternative between commas", pattern, where)
    patterns = []
    for alternative in alternatives:
        try:
            patterns.append(re.compile(lua_to_regex(alternative)))
        except MalformedPattern as error:
            raise _refused("have valid Lua patterns", alternative, where, f"In this one, {error}.") from None
    return Rule(number, os.fsdecode(pattern), None if weight == b"*" else float(written), tuple(patterns))


def _refused(required: str, word: bytes, where: str, advice: Optional[str] = None) -> ValueError:
    return refused_value("rules", required, f"{show(os.fsdecode(word))} {where}", advice)


def rules_of_files(rules: Sequence[Rule], names: Sequence[bytes]) -> list[Optional[Rule]]:
    """Return the rule of each file: the first that keeps all lines and covers it, else the first that covers it."""
    tried = [rule for rule in rules if rule.weight is None] + [rule for rule in rules if rule.weight is not None]
    return [next((rule for rule in tried if rule.covers(name)), None) for name in names]


def encoded(text: Any, parameter: str) -> bytes:
    """Return text as bytes, the form of file names; refuse text that no name can contain."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise refused_value(parameter, "hold text that names of files can have", ascii(text)) from None
