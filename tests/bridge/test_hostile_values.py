"""Every parameter of everything public in the bridge, given values nobody expects: a valid result, or a message."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any, Callable

import pytest

import rbridge
from pystrat import Batches, UniformBatchSampler
from tests.hostile import GRAMMAR, HOSTILE, bounded_memory, refusal

N_ROWS = 6
NOT_CALLED = {"RError", "RNotAvailableError", "RStatus", "r_status", "install_r_package"}


def uniform() -> UniformBatchSampler:
    return UniformBatchSampler(N_ROWS, 2, seed=1)


# A valid call for each parameter.
CALLS: dict[tuple[str, str], Callable[[Path], dict[str, Any]]] = {
    ("as_torch_sampler", "sampler"): lambda folder: {"sampler": uniform()},
    ("as_torch_sampler", "n_batches"): lambda folder: {"sampler": lambda: iter([[0, 1], [2]]), "n_batches": 2},
    **{
        ("collect_rows", name): lambda folder: {"generator": rbridge.as_torch_sampler(uniform()), "n_rows": N_ROWS}
        for name in ("generator", "n_rows")
    },
    **{
        ("export_r", name): lambda folder: {"sampler": uniform(), "path": folder / "sampler.R"}
        for name in ("sampler", "path")
    },
}


def check(name: str, given: dict[str, Any]) -> None:
    """Call a function; its result is what is promised: batches, which R can request, or the files."""
    found = getattr(rbridge, name)(**given)
    if name == "as_torch_sampler":
        found = rbridge.collect_rows(found, N_ROWS)
    if name == "export_r":
        assert found.read_text(encoding="ascii").startswith("# A batch sampler")
    else:
        assert isinstance(found, Batches) and len(found) > 0


def trial(name: str, given: dict[str, Any]) -> str:
    """Call a function; return what is wrong with what comes of it, or nothing."""
    try:
        check(name, given)
    except rbridge.RError as error:
        # An error of Python that R passed on begins with its class.
        return "" if GRAMMAR.fullmatch(str(error).split("Error: ")[-1]) else f"not of the grammar: {error}"[:300]
    except Exception as error:
        wrong = refusal(error)
        names = GRAMMAR.fullmatch(str(error.args[0]))
        return wrong or ("" if names and (name, names["parameter"]) in CALLS else f"names another: {error}"[:300])
    return ""


@pytest.mark.parametrize(("name", "parameter"), CALLS)
def test_hostile(name: str, parameter: str, tmp_path: Path) -> None:
    valid, wrong = CALLS[name, parameter](tmp_path), {}
    check(name, valid)
    with bounded_memory(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value, make in HOSTILE.items():
            if found := trial(name, {**valid, parameter: make()}):
                wrong[value] = found
    assert not wrong


def test_everything_public_has_valid_calls() -> None:
    called = {name for name, _ in CALLS}
    assert set(rbridge.__all__) == called | NOT_CALLED
    for name in called:
        assert {(name, parameter) for parameter in inspect.signature(getattr(rbridge, name)).parameters} <= set(CALLS)
    with pytest.raises(TypeError, match="The 'library' parameter must be a path. Got 5 instead."):
        rbridge.install_r_package(5)  # type: ignore[arg-type]
