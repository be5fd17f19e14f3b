"""Rules of distribution: the share of an epoch that comes from each file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np

from pystrat import _core
from pystrat.core.messages import check_list, refused_value, show

RuleSource = Union[str, "os.PathLike[str]", Sequence[str]]


def data_of_rules(source: RuleSource, names: Sequence[str]) -> dict[str, Any]:
    """Return the weights of rules, as `CorpusMixtureBatchSampler` describes them, and the number of each file's rule.

    The numbers are from 1, or 0. The rule of a file is the first that keeps all lines and covers it, else the first
    that covers it.
    """
    required = "be a file of rules, or a list of rules"
    if not isinstance(source, (str, os.PathLike)):
        text = os.fsencode("\n".join(check_list(source, "rules", required=required, kinds=(str,))))
    elif os.path.exists(source):
        text = Path(source).read_bytes()
    else:
        advice = "Put a rule that is written out into a list."
        raise refused_value("rules", required, f"{show(os.fspath(source))}, no file,", advice)
    found = _core.call("rules", {}, {"text": np.frombuffer(text, dtype=np.uint8)})
    of_files = np.zeros(len(names))
    expressions = found["expressions"].tobytes().split(b"\n")
    for rule in np.argsort(np.isfinite(found["weights"]), kind="stable")[::-1].tolist():
        covers = re.compile(expressions[rule]).search
        of_files[[covers(os.fsencode(name)) is not None for name in names]] = rule + 1
    return {"rule_weights": found["weights"], "file_rules": of_files}
