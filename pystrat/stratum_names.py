"""Names of strata that users give: as they are shown, and looked up among those of the dataset."""

from __future__ import annotations

from collections import Counter
from typing import Any, Collection, Iterable, Optional, Sequence

import numpy as np

from pystrat.arrays import is_missing
from pystrat.messages import refused_type, refused_value, show
from pystrat.strata import encode_strata


def name_of(label: Any, parameter: str) -> str:
    """Return how a label is shown as the name of a stratum."""
    if not isinstance(label, (list, tuple, range)) and np.ndim(label) == 0 and not is_missing(label):
        try:
            return encode_strata([label], missing="stratum").names[0]
        except TypeError:  # of a type that no stratum has; refused below, with the name of the parameter
            pass
    raise refused_type(parameter, "name a class by its label", show(label))


def first_repeated(names: Sequence[str]) -> Optional[str]:
    """Return the first name that occurs more than once; None if there is none."""
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


def check_names(labels: Iterable[Any], parameter: str, *, noun: str = "class") -> list[str]:
    """Return how labels are shown as the names of strata; refuse two that are shown in the same way."""
    names = [name_of(label, parameter) for label in labels]
    repeated = first_repeated(names)
    if repeated is not None:
        raise refused_value(parameter, f"name each {noun} once", f"{show(repeated)} twice")
    return names


def codes_of(wanted: Collection[str], names: Sequence[str], parameter: str, *, noun: str = "class") -> list[int]:
    """Return the codes of the strata with these names; `noun` is the word for a stratum in messages."""
    nouns = {"class": "classes", "stratum": "strata", "shard": "shards"}[noun]
    codes = {name: code for code, name in enumerate(names)}
    counts = Counter(names) if len(codes) < len(names) else None
    for name in wanted:
        if name not in codes:
            raise refused_value(parameter, f"name one of the {nouns}, {listed(names)}", show(name))
        if counts is not None and counts[name] > 1:
            got = f"{show(name)}, as which {counts[name]} {nouns} are shown,"
            advice = f"Recode the {nouns}, so that each is shown in its own way."
            raise refused_value(parameter, f"name a {noun} that no other is shown as", got, advice)
    return [codes[name] for name in wanted]


def listed(names: Sequence[str]) -> str:
    """Return the first ten names as text for a message."""
    return ", ".join(map(show, names[:10])) + ", ..." * (len(names) > 10)
