"""One meaning and the same defaults for a parameter, wherever it occurs: docs/parameters.md is the table of all."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Iterator

import pytest

from pystrat import BatchSampler
from tests.reference.parameters import REQUIRED, constructors, default_of, documented

MODULES = ("pystrat", "pystrat.corpus", "pystrat.stream", "rbridge")
RESULTS = {"BatchPlan", "Batches", "FilePlan", "RStatus"}  # that users receive, and do not make


def public(module: str) -> Iterator[tuple[str, Any]]:
    found = importlib.import_module(module)
    for name in found.__all__:
        made = getattr(found, name)
        is_error = inspect.isclass(made) and issubclass(made, Exception)
        if callable(made) and not is_error and name not in RESULTS:
            yield name, made


@pytest.mark.parametrize("module", MODULES)
def test_every_parameter_is_in_the_table_with_its_default(module: str) -> None:
    table, others = documented(), []
    for name, made in public(module):
        for parameter in inspect.signature(made).parameters.values():
            default = REQUIRED if parameter.default is parameter.empty else default_of(repr(parameter.default))
            if default not in table.get(parameter.name, set()):
                others.append(f"{name}({parameter.name}={default})")
    assert others == [], "add a line to docs/parameters.md, or use a name and a default that it has"


def test_the_table_has_all_constructors_of_samplers_with_their_parameters() -> None:
    found = {}
    for name, made in (entry for module in MODULES for entry in public(module)):
        if inspect.isclass(made) and issubclass(made, BatchSampler) and made is not BatchSampler or "Stream" in name:
            found[name] = set(inspect.signature(made).parameters) - {"rank"}
    assert found == {name: parameters for name, parameters in constructors().items() if name[0].isupper()}
