"""Rules of distribution: the share of the sample that comes from each file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np

from pystrat import _core
from pystrat.messages import check_list, refused_value, show
from pystrat.regular_files import check_regular

RuleSource = Union[str, "os.PathLike[str]", Sequence[str], Sequence["Rule"]]


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
    """

    number: int
    text: str
    written: Optional[str]

    @property
    def weight(self) -> Optional[Fraction]:
        """The weight as an exact fraction; None if all lines of the files are kept."""
        return None if self.written is None else Fraction(self.written)

    @property
    def line(self) -> bytes:
        """The rule as a line of text; a blank comes first, because ``#`` would begin a comment."""
        return os.fsencode(f" {self.text} {self.written or '*'}")


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
    text = _text_of(source)
    data = {"rules": np.frombuffer(text, dtype=np.uint8)}
    found = _core.call("read_rules", {}, data, partial(shown_part, text))
    places = found["places"].astype(np.int64).reshape(-1, 4).tolist()
    words = [(text[begin:end], text[start:stop]) for begin, end, start, stop in places]
    return tuple(
        Rule(number, os.fsdecode(pattern), None if weight == b"*" else weight.decode("ascii"))
        for number, (pattern, weight) in enumerate(words, start=1)
    )


def _text_of(source: Any) -> bytes:
    """Return the text of rules."""
    required = "be a file of rules, or a list of rules"
    if isinstance(source, (str, os.PathLike)):
        if not os.path.exists(source):
            advice = "Put a rule that is written out into a list."
            raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
        check_regular(source, "rules")
        return Path(source).read_bytes()
    lines = check_list(source, "rules", required=required, kinds=(str, Rule))
    return b"\n".join(line.line if isinstance(line, Rule) else encoded(line, "rules") for line in lines)


def shown_part(text: bytes, _: str, begin: str, end: str) -> str:
    """Return a part of the text of rules as messages show it."""
    return show(os.fsdecode(text[int(begin) : int(end)]))


def encoded(text: str, parameter: str) -> bytes:
    """Return text as bytes, the form of file names; refuse text that no name can contain."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise refused_value(parameter, "hold text that names of files can have", ascii(text)) from None
