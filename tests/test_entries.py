"""Errors get the name of the public function that the user called, and are plain built-in exceptions."""

from __future__ import annotations

import inspect
import pickle
import traceback
from typing import Any, Callable, Iterator, Optional

import numpy as np
import pytest
from torch.utils.data import DataLoader

import pystrat
from pystrat import (
    Batches,
    BatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    StratifiedBatchSampler,
    SumTree,
    UniformBatchSampler,
    WeightedBatchSampler,
    batch_counts,
    epoch_permutation,
)
from pystrat.entries import named_by, named_by_class, named_by_function, named_by_method
from pystrat.messages import Refusal, RefusedKey, RefusedType, RefusedValue, check_integer, refusals_of_part

PUBLIC = [getattr(pystrat, name) for name in pystrat.__all__]


def raised(call: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


@named_by_function
def outer(value: int, *, inner: Optional[Callable[[Any], int]] = None) -> int:
    """Check a number, and let another function do so."""
    return check_integer(value, "value", minimum=1) if inner is None else inner(value)


@named_by_function
def inner(value: Any) -> int:
    return check_integer(value, "value", minimum=1)


class Entry:
    @named_by_class
    def by_class(self, error: Exception) -> None:
        raise error

    @named_by_method
    def by_method(self, error: Exception) -> None:
        raise error

    @classmethod
    @named_by_function
    def of(cls, error: Exception) -> None:
        raise error


class Heir(Entry):
    pass


@pytest.mark.parametrize(
    ("kind", "plain"), [(RefusedType, TypeError), (RefusedValue, ValueError), (RefusedKey, KeyError)]
)
def test_the_user_gets_a_plain_exception_with_the_message_alone(kind: Any, plain: Any) -> None:
    error = raised(lambda: Heir().by_class(kind("k", "be 1", "2", "Try 1.")))
    assert type(error) is plain
    assert error.args == ("The 'k' parameter of Heir must be 1. Got 2 instead. Try 1.",)
    assert error.__cause__ is None and error.__suppress_context__
    loaded = pickle.loads(pickle.dumps(error))
    assert type(loaded) is plain and loaded.args == error.args


def test_names() -> None:
    def name_in(call: Callable[[Exception], Any]) -> str:
        error = raised(lambda: call(RefusedValue("k", "be 1", "2")))
        return str(error).split(" parameter of ")[1].split(" must ")[0]

    assert name_in(Entry().by_class) == "Entry" and name_in(Heir().by_class) == "Heir"
    assert name_in(Heir().by_method) == "Heir.by_method"
    assert name_in(Heir.of) == "Entry.of"
    assert name_in(named_by(lambda *_: "another")(Entry().by_class)) == "Entry", "the innermost entry names itself"
    assert name_in(lambda error: Entry().by_class(RefusedValue("k", "be 1", "2", part="the x"))) == "the x of Entry"
    assert name_in(lambda error: Entry().by_class(RefusedValue("k", "be 1", "2", place="y"))) == "Entry, at y,"


def test_without_an_entry_the_message_is_whole_all_the_same() -> None:
    error = RefusedValue("k", "be 1", "2", part="the table")
    assert str(error) == "The 'k' parameter of the table of this function must be 1. Got 2 instead."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_smallest_part_is_named() -> None:
    def refuse() -> None:
        with refusals_of_part("large"), refusals_of_part("small"):
            raise RefusedValue("k", "be 1", "2")

    error = raised(refuse)
    assert isinstance(error, Refusal) and error.part == "small"


def test_other_errors_pass_unchanged() -> None:
    error = ZeroDivisionError("no")
    assert raised(lambda: Entry().by_class(error)) is error


def test_the_innermost_entry_names_itself() -> None:
    assert "parameter of outer must" in str(raised(lambda: outer(0)))
    assert "parameter of inner must" in str(raised(lambda: outer(0, inner=inner)))


def test_the_traceback_leads_from_the_call_to_the_refusal() -> None:
    error = raised(lambda: outer(0))
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[-4:] == ["<lambda>", "entry", "outer", "check_integer"]
    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert "RefusedValue(" in shown, "the line that refuses"
    assert "During handling" not in shown and "direct cause" not in shown


def test_a_cause_is_kept() -> None:
    error = raised(lambda: batch_counts([(1, 2)], 5))
    assert type(error) is KeyError and isinstance(error.__cause__, IndexError)


def test_signatures_and_help_stay() -> None:
    assert list(inspect.signature(outer).parameters) == ["value", "inner"]
    assert outer.__doc__ == "Check a number, and let another function do so." and outer.__name__ == "outer"
    assert list(inspect.signature(StratifiedBatchSampler).parameters)[:2] == ["strata", "min_samples_per_stratum"]
    assert list(inspect.signature(SumTree.sample).parameters) == ["self", "k", "replacement"]


@pytest.mark.parametrize("public", PUBLIC, ids=lambda public: str(public.__name__))
def test_no_error_without_a_name_leaves_a_public_function_or_class(public: Any) -> None:
    parameters = inspect.signature(public).parameters.values()
    required = [parameter for parameter in parameters if parameter.default is parameter.empty]
    error = raised(lambda: public(*[object() for parameter in required if parameter.kind != parameter.KEYWORD_ONLY]))
    assert type(error).__module__ == "builtins"


class MySampler(WeightedBatchSampler):
    pass


def test_errors_while_iterating_have_a_name() -> None:
    sampler = MySampler([1, 1], 1, num_replicas=1, seed=1)
    iterator, generator = iter(sampler), (batch for batch in sampler)
    next(iterator), next(generator)
    sampler.update([0, 1], [0, 0])
    message = (
        "The 'weights' parameter of MySampler must not all be 0 when rows are drawn. Got no positive weight instead."
    )
    for call in (lambda: next(iterator), lambda: next(generator), sampler.batches, lambda: list(sampler)):
        error = raised(call)
        assert type(error) is ValueError and str(error) == message


class Squares:
    def __init__(self, sampler: BatchSampler) -> None:
        self.sampler = sampler

    @named_by_class
    def __getitem__(self, row: int) -> int:
        return check_integer(row, "row", minimum=0, maximum=1) ** 2

    def __len__(self) -> int:
        return 4


def test_a_worker_of_a_data_loader_hands_on_type_and_message() -> None:
    sampler = UniformBatchSampler(4, 2, seed=1)
    error = raised(lambda: list(DataLoader(Squares(sampler), batch_sampler=sampler, num_workers=1)))  # type: ignore
    assert type(error) is ValueError
    assert "The 'row' parameter of Squares must be an integer from 0 to 1. Got " in str(error)


class OwnSampler(BatchSampler):
    """A sampler as users write it, without a decorator."""

    def _global_length(self) -> int:
        return 1

    def _epoch_batches(self, epoch: int) -> Iterator[Any]:
        yield np.arange(2)
        raise RefusedValue("epoch", "have one batch", "two")

    def _fingerprint(self) -> str:
        return "own"


def test_a_sampler_of_your_own_is_named_by_its_class() -> None:
    refused = {
        "seed": lambda: OwnSampler(seed=-1),
        "epoch": lambda: OwnSampler().set_epoch(-1),
        "batches_consumed": lambda: OwnSampler().state_dict(batches_consumed=5),
        "state": lambda: iter(OwnSampler()).load_state_dict({}),
    }
    for name, call in refused.items():
        assert str(raised(call)).startswith(f"The '{name}' parameter of OwnSampler must ")
    for call in (lambda: list(OwnSampler()), lambda: OwnSampler().batches()):
        error = raised(call)
        assert str(error) == "The 'epoch' parameter of OwnSampler must have one batch. Got two instead."


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: epoch_permutation(-1, seed=1), "epoch_permutation"),
        (lambda: Batches.gather([[0.5]]), "Batches.gather"),
        (lambda: SumTree([1]).sample(-1), "SumTree"),
        (lambda: PerplexityBatchSampler(4, 2, 1).report([9], [1.0]), "PerplexityBatchSampler.report"),
        (lambda: PerplexityBatchSampler(4, 2, 1).check_reports(["a", "b"]), "PerplexityBatchSampler.check_reports"),
        (lambda: PerplexityBatchSampler(4, 2, 1).batches(3), "PerplexityBatchSampler"),
        (lambda: PrioritizedBatchSampler(3, 1, capacity=4).append(9), "PrioritizedBatchSampler"),
    ],
)
def test_public_functions_and_methods_name_themselves(call: Callable[[], Any], name: str) -> None:
    error = raised(call)
    assert type(error) in (TypeError, ValueError) and f" parameter of {name} must " in str(error)
