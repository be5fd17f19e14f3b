"""Every parameter of everything public in the bridge, given values nobody expects: a valid result, or a message."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any, Callable

import pytest

import rbridge
from pystrat import Batches, UniformBatchSampler
from rbridge import RError
from tests.hostile import GRAMMAR, HOSTILE, bounded_memory, refusal

Arguments = dict[str, Any]
N_ROWS = 6


def uniform() -> UniformBatchSampler:
    return UniformBatchSampler(N_ROWS, 2, seed=1)


def of_function() -> Arguments:
    return {"sampler": lambda: iter([[0, 1], [2]]), "n_batches": 2}


# A valid call for each parameter.
CALLS: dict[str, dict[str, Callable[[Path], Arguments]]] = {
    "as_torch_sampler": {
        "sampler": lambda folder: {"sampler": uniform()},
        "n_batches": lambda folder: of_function(),
    },
    "collect_rows": {
        "generator": lambda folder: {"generator": rbridge.as_torch_sampler(uniform()), "n_rows": N_ROWS},
        "n_rows": lambda folder: {"generator": rbridge.as_torch_sampler(uniform()), "n_rows": N_ROWS},
    },
    "export_r": {
        "sampler": lambda folder: {"sampler": uniform(), "path": folder / "sampler.R"},
        "path": lambda folder: {"sampler": uniform(), "path": folder / "sampler.R"},
    },
}
NOT_CALLED = {
    "RError": "is an error",
    "RNotAvailableError": "is an error",
    "RStatus": "is a record that r_status makes",
    "install_r_package": "installs into every path; see below",
    "r_status": "takes no parameters",
}


def check_result(name: str, found: Any) -> None:
    """Return nothing if a result is what is promised: batches, which R can request, or the files."""
    if name == "as_torch_sampler":
        found = rbridge.collect_rows(found, N_ROWS)
    if name == "export_r":
        assert found.read_text(encoding="ascii").startswith("# A batch sampler")
    else:
        assert isinstance(found, Batches) and len(found) > 0


def trial(name: str, given: Arguments) -> str:
    """Call a function; return what is wrong with what comes of it, or nothing."""
    try:
        check_result(name, getattr(rbridge, name)(**given))
    except RError as error:
        # An error of Python that R passed on begins with its class.
        return "" if GRAMMAR.fullmatch(str(error).split("Error: ")[-1]) else f"not of the grammar: {error}"[:300]
    except Exception as error:
        wrong = refusal(error)
        if wrong:
            return wrong
        found = GRAMMAR.fullmatch(str(error.args[0]))
        assert found is not None
        return "" if found["parameter"] in CALLS[name] else f"names another: {error}"[:300]
    return ""


def test_everything_public_has_valid_calls(tmp_path: Path) -> None:
    assert set(rbridge.__all__) == {*CALLS, *NOT_CALLED}
    for name, parameters in CALLS.items():
        assert list(parameters) == list(inspect.signature(getattr(rbridge, name)).parameters)
        for arguments in parameters.values():
            check_result(name, getattr(rbridge, name)(**arguments(tmp_path)))


@pytest.mark.parametrize(
    ("name", "parameter"), [(name, parameter) for name, parameters in CALLS.items() for parameter in parameters]
)
def test_hostile(name: str, parameter: str, tmp_path: Path) -> None:
    valid, wrong = CALLS[name][parameter](tmp_path), {}
    with bounded_memory(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value, make in HOSTILE.items():
            found = trial(name, {**valid, parameter: make()})
            if found:
                wrong[value] = found
    assert not wrong


def test_a_library_that_is_no_path_is_refused() -> None:
    with pytest.raises(TypeError, match="The 'library' parameter must be a path. Got 5 instead."):
        rbridge.install_r_package(5)  # type: ignore[arg-type]
