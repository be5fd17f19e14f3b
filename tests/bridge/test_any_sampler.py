"""Any Python batch sampler as an R torch::sampler, from Python and, through reticulate, from R."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, Iterator

import numpy as np
import pytest
import torch
from torch.utils.data import BatchSampler as TorchBatchSampler
from torch.utils.data import RandomSampler

import rbridge
from rbridge.session import Session


def in_r(sampler: Any, n_rows: int, **options: Any) -> list[list[int]]:
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler, **options), n_rows)
    return [batch.tolist() for batch in delivered]


def asymmetric() -> Iterator[list[int]]:
    """Row 0 and the last row, 6, are not alike, and nothing is the same backwards: an error by one shows."""
    yield from ([0, 6, 2], [5], [1, 3])


def test_torch_s_own_random_batches() -> None:
    generator = torch.Generator()
    sampler = TorchBatchSampler(RandomSampler(range(10), generator=generator), 4, drop_last=False)
    generator.manual_seed(3)
    expected = list(sampler)
    generator.manual_seed(3)
    assert in_r(sampler, 10) == expected
    assert sorted(row for batch in expected for row in batch) == list(range(10))


def test_a_generator_function() -> None:
    assert in_r(asymmetric, 7, n_batches=3) == [[0, 6, 2], [5], [1, 3]]


def test_a_plain_list_of_lists() -> None:
    assert in_r([[3, 0], [2]], 4) == [[3, 0], [2]]


def test_an_empty_batch_stays_empty() -> None:
    assert in_r([[], [4, 0], [], [1], []], 5) == [[], [4, 0], [], [1], []]


def test_single_rows_in_place_of_batches_are_refused() -> None:
    with pytest.raises(rbridge.RError, match="must give batches of row positions. Got the item [0-4] instead. Wrap it"):
        in_r(RandomSampler(range(5)), 5)


def test_rows_that_the_dataset_does_not_have_are_refused_in_r() -> None:
    with pytest.raises(rbridge.RError, match="of which there are 3. Got row 4, counted from 1, instead."):
        in_r([[0, 3]], 3)


def test_an_iterable_learns_the_epoch(r: Session) -> None:
    class Epochs:
        told: list[int] = []

        def __len__(self) -> int:
            return 1

        def set_epoch(self, epoch: int) -> None:
            self.told.append(epoch)

        def __iter__(self) -> Iterator[np.ndarray]:
            yield np.array([self.told[-1], 9])

    instance = r.call_function(rbridge.as_torch_sampler(Epochs()), None)
    r.call_function(instance["set_epoch"], 4)
    assert [batch.tolist() for batch in rbridge.collect_rows(instance, 10)] == [[4, 9]]
    assert [batch.tolist() for batch in rbridge.collect_rows(instance, 10)] == [[5, 9]]
    assert Epochs.told == [4, 5]


def test_more_batches_than_the_length_says_are_an_error_in_r() -> None:
    with pytest.raises(rbridge.RError, match="as many batches as its length says, 2. Got 3 in epoch 0 instead."):
        in_r(asymmetric, 7, n_batches=2)


PYTHON = """
import torch
from torch.utils.data import BatchSampler, RandomSampler

def asymmetric():
    yield from ([0, 6, 2], [5], [1, 3])

def failing():
    yield [0]
    raise ValueError("épée " * 1000)

generator = torch.Generator()
generator.manual_seed(3)
random_batches = BatchSampler(RandomSampler(range(10), generator=generator), 4, False)
"""

FROM_R = """
library(rbridge)
pystrat = reticulate::import("pystrat")
reticulate::py_run_file("{python}")
py = reticulate::py
told = function(batch_sampler, n_rows) {{
  collected = collect_rows(batch_sampler, n_rows)
  unname(split(collected$rows - 1L, rep(seq_len(length(collected$offsets) - 1L), diff(collected$offsets))))
}}
sampler = pystrat$StratifiedBatchSampler(rep(c("a", "b"), times = c(3, 8)), 1L, seed = 1L)
cat(jsonlite::toJSON(list(
  own = told(batch_sampler_python(sampler), 11),
  torch = told(batch_sampler_python(py$random_batches), 10),
  generator = told(batch_sampler_python(py$asymmetric, n_batches = 3), 7),
  class = class(batch_sampler_python(sampler)),
  python_error = tryCatch(collect_rows(batch_sampler_python(py$failing, 2), 3), error = conditionMessage),
  no_length = tryCatch(batch_sampler_python(py$asymmetric), error = conditionMessage),
  no_python = tryCatch(batch_sampler_python(3), error = conditionMessage),
  bad_count = tryCatch(batch_sampler_python(py$asymmetric, 0.5), error = conditionMessage)
)))
"""


@pytest.fixture
def from_r(rscript: Callable[..., str], tmp_path: Any) -> dict[str, Any]:
    script = tmp_path / "samplers.py"
    script.write_text(PYTHON, encoding="utf-8")
    told: dict[str, Any] = json.loads(rscript(FROM_R.format(python=script), RETICULATE_PYTHON=sys.executable))
    return told


def test_from_r_through_reticulate(from_r: dict[str, Any]) -> None:
    from pystrat import StratifiedBatchSampler

    own = StratifiedBatchSampler(["a"] * 3 + ["b"] * 8, 1, seed=1)
    assert from_r["own"] == [batch.tolist() for batch in own.batches(0)]
    generator = torch.Generator()
    generator.manual_seed(3)
    assert from_r["torch"] == list(TorchBatchSampler(RandomSampler(range(10), generator=generator), 4, False))
    assert from_r["generator"] == list(asymmetric())
    assert from_r["class"] == ["batch_sampler_stratified", "batch_sampler_generator", "torch_sampler"]
    assert from_r["python_error"] == ["ValueError: " + "épée " * 1000]
    assert "'sampler' parameter must have a length, unless 'n_batches' is given." in from_r["no_length"][0]
    assert from_r["no_python"] == ["The 'sampler' parameter must be a Python object. Got 3 instead."]
    assert from_r["bad_count"] == ["The 'n_batches' parameter must be a positive integer. Got 0.5 instead."]
