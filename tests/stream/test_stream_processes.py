"""Streams in real processes, joined by gloo: a training that is killed, and another number of processes goes on."""

from __future__ import annotations

import runpy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from pystrat.stream import StratifiedStream, count_sources, read_csv
from tests.example_processes import EXAMPLES, begin, kill_at_checkpoint, launched, trained, write_files

SCRIPT = "stream_training.py"
EPOCHS = 3


def whole_stream(folder: Path) -> StratifiedStream:
    """The stream of the example, not shared."""
    files = sorted(map(str, folder.glob("*.csv")))
    counts = count_sources(files, read=read_csv, stratum="label")
    return StratifiedStream(files, 2, read=read_csv, stratum="label", counts=counts, lanes=4, seed=1)


def parameters_of_steps(steps: list[list[Any]]) -> list[float]:
    """Train in this process: in each step on the mean over some batches, as if each were of another process."""
    tensors_of = runpy.run_path(str(EXAMPLES / SCRIPT))["tensors_of"]
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    for step in steps:
        optimiser.zero_grad()
        for inputs, labels in map(tensors_of, step):
            (binary_cross_entropy_with_logits(model(inputs).squeeze(1), labels) / len(step)).backward()
        optimiser.step()
    return [number for parameter in model.parameters() for number in parameter.detach().reshape(-1).tolist()]


def in_steps(batches: list[Any], n_processes: int) -> list[list[Any]]:
    iterator = iter(batches)
    return list(iter(lambda: list(islice(iterator, n_processes)), []))


@pytest.mark.parametrize("after", [1, pytest.param(4, marks=pytest.mark.thorough)])
def test_a_killed_training_goes_on_with_another_number_of_processes_and_the_launcher_of_torch(
    after: int, tmp_path: Path
) -> None:
    before = 2
    write_files(tmp_path)
    stream = whole_stream(tmp_path)
    kill_at_checkpoint(begin(SCRIPT, before, tmp_path), tmp_path)
    place, _ = trained(tmp_path)
    assert (place["epoch"], place["batch"]) < (EPOCHS, 0), "it was killed before its end"
    done = launched(SCRIPT, after, tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"epoch {place['epoch']}, from batch {place['batch']}\n" in done.stdout
    state, parameters = trained(tmp_path)
    assert state == stream.state(EPOCHS)

    batches = [batch for _ in range(EPOCHS) for batch in stream]
    taken = place["epoch"] * len(stream) + place["batch"]
    steps = in_steps(batches[:taken], before) + in_steps(batches[taken:], after)
    assert {len(step) for step in steps} == {before, after}
    assert parameters == pytest.approx(parameters_of_steps(steps), rel=1e-4, abs=1e-5)
