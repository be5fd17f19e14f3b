"""Rules of distribution: the share of the sample that comes from each file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from pystrat import _kinds
from pystrat.messages import check_list, refused_value, show
from pystrat.regular_files import check_regular

RuleSource = Union[str, "os.PathLike[str]", Sequence[str]]
KEPT = -1.0  # the weight of files whose lines occur once in each epoch
_WEIGHT = re.compile(rb"\d+\.?\d*|\.\d+")


class Rule(NamedTuple):
    """A weight, and the patterns one of which is found in the name of a file; none for any file."""

    weight: float
    patterns: tuple[re.Pattern[bytes], ...]


def read_rules(source: RuleSource) -> list[Rule]:
    """Read rules as `CorpusMixtureBatchSampler` describes them: a file, or its lines."""
    required = "be a file of rules, or a list of rules"
    if isinstance(source, (str, os.PathLike)):
        if not os.path.exists(source):
            advice = "Put a rule that is written out into a list."
            raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
        check_regular(source, "rules")
        text = Path(source).read_bytes()
    else:
        written_out = check_list(source, "rules", required=required, kinds=(str,))
        text = b"\n".join(encoded(line, "rules") for line in written_out)
    rules = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        words = [word for word in re.split(b"[ \t]", line.rstrip(b"\r")) if word]
        if words and not line.startswith(b"#"):
            rules.append(_rule(words, f"on line {number}"))
    return rules


def _rule(words: list[bytes], where: str) -> Rule:
    def refused(required: str, word: bytes, advice: Optional[str] = None) -> ValueError:
        return refused_value("rules", required, f"{show(os.fsdecode(word))} {where}", advice)

    if len(words) != 2:
        required = "have a pattern and a weight on each line" + (", and no third word" if len(words) > 2 else "")
        raise refused(required, words[0] if len(words) < 2 else words[2])
    pattern, weight = words
    if weight != b"*" and not (_WEIGHT.fullmatch(weight) and float(weight) > 0):
        raise refused("have weights that are positive decimal numbers, or '*'", weight)
    patterns = []
    for alternative in [] if pattern == b"*" else pattern.split(b","):
        if not alternative:
            raise refused("have no empty alternative between commas", pattern)
        found = translated(alternative)
        if "regex" not in found:
            raise refused("have valid Lua patterns", alternative, f"In this one, {found['reason'].decode()}.")
        patterns.append(re.compile(found["regex"]))
    return Rule(KEPT if weight == b"*" else float(weight), tuple(patterns))


def translated(pattern: bytes) -> dict[str, bytes]:
    """Return the "regex" of a Lua pattern, or the "reason" why it is malformed."""
    found = _kinds.call("lua_pattern", {}, {"pattern": np.frombuffer(pattern, dtype=np.uint8)})
    return {name: found[name].tobytes() for name in ("regex", "reason") if name in found}


def rules_of_files(rules: Sequence[Rule], names: Sequence[bytes]) -> list[int]:
    """Return the number of the rule of each file, from 1, or 0.

    It is the first that keeps all lines and covers the file, else the first that covers it.
    """
    numbers = sorted(range(len(rules)), key=lambda number: rules[number].weight != KEPT)

    def covers(rule: Rule, name: bytes) -> bool:
        return not rule.patterns or any(pattern.search(name) for pattern in rule.patterns)

    return [next((number + 1 for number in numbers if covers(rules[number], name)), 0) for name in names]


def encoded(text: Any, parameter: str) -> bytes:
    """Return text as bytes, the form of file names; refuse text that no name can contain."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise refused_value(parameter, "hold text that names of files can have", ascii(text)) from None
