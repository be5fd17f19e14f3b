"""The recipes for Ray Train and Spark of docs/beyond-one-machine.md, with stand-ins for both."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.example_processes import EXAMPLES, begin, ended, trained, write_files
from tests.process_groups import run
from tests.test_docs import blocks

pytestmark = pytest.mark.xdist_group("process groups")

LABELS = ["no"] * 9 + ["yes"] * 3


def test_workers_of_ray_share_each_batch() -> None:
    first, second = run("ray", 2)
    assert len(first) == len(second) == 3
    assert all(mine and other for mine, other in zip(first, second)), "no part is empty"
    batches = [sorted(mine + other) for mine, other in zip(first, second)]
    assert batches == [["no", "no", "no", "yes"]] * 3
    assert sorted(label for batch in batches for label in batch) == LABELS


class TorchDistributor:
    """Runs a script in as many processes as there are tasks, with the variables that the launcher of torch sets."""

    def __init__(self, num_processes: int, local_mode: bool, use_gpu: bool) -> None:
        assert not local_mode and not use_gpu
        self._n_processes = num_processes

    def run(self, script: str, folder: str, checkpoint: str) -> None:
        path = EXAMPLES.parent / script
        assert path.parent == EXAMPLES and Path(checkpoint) == Path(folder) / "checkpoint"
        assert ended(begin(path.name, self._n_processes, Path(folder))) == [0] * self._n_processes


def test_tasks_of_spark_train_by_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyspark", "pyspark.ml", "pyspark.ml.torch", "pyspark.ml.torch.distributor"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    vars(sys.modules["pyspark.ml.torch.distributor"]).update(TorchDistributor=TorchDistributor)
    write_files(tmp_path)
    names: dict[str, Any] = {"FOLDER": str(tmp_path), "CHECKPOINT": str(tmp_path / "checkpoint")}
    exec(blocks("beyond-one-machine.md", "python spark"), names)
    state, parameters = trained(tmp_path)
    assert state["epoch"] == 3 and len(parameters) == 3
