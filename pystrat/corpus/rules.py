"""Rules of distribution: the share of an epoch that comes from each file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat import _kinds
from pystrat.messages import check_list, refused_value, show
from pystrat.regular_files import check_regular

RuleSource = Union[str, "os.PathLike[str]", Sequence[str]]
KEPT = -1.0  # the weight of files whose lines occur once in each epoch


class Rules(NamedTuple):
    """The weight of each rule, and the regular expression that finds the names of its files."""

    weights: NDArray[np.float64]
    expressions: list[re.Pattern[bytes]]


def read_rules(source: RuleSource) -> Rules:
    """Read rules as `CorpusMixtureBatchSampler` describes them: a file, or its lines."""
    required = "be a file of rules, or a list of rules"
    if isinstance(source, (str, os.PathLike)):
        if not os.path.exists(source):
            advice = "Put a rule that is written out into a list."
            raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
        check_regular(source, "rules")
        text = Path(source).read_bytes()
    else:
        lines = check_list(source, "rules", required=required, kinds=(str,))
        text = b"\n".join(encoded(line, "rules") for line in lines)
    found = _kinds.call("rules", {}, {"text": np.frombuffer(text, dtype=np.uint8)})
    expressions = found["expressions"].tobytes().split(b"\n")[:-1]
    return Rules(found["weights"], [re.compile(expression) for expression in expressions])


def rules_of_files(rules: Rules, names: Sequence[bytes]) -> list[int]:
    """Return the number of the rule of each file, from 1, or 0.

    It is the first that keeps all lines and covers the file, else the first that covers it.
    """
    order = np.argsort(rules.weights != KEPT, kind="stable").tolist()
    return [next((rule + 1 for rule in order if rules.expressions[rule].search(name)), 0) for name in names]


def encoded(text: Any, parameter: str) -> bytes:
    """Return text as bytes, the form of file names; refuse text that no name can contain."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise refused_value(parameter, "hold text that names of files can have", ascii(text)) from None
