"""The start of a script by Spark, as its module of the same name has it: what each process is given."""

from __future__ import annotations

from pathlib import Path

from tests.example_processes import EXAMPLES, begin, ended


class TorchDistributor:
    """Runs an example in as many processes as there are tasks.

    Each task of Spark sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK, that of its partition, and runs
    ``python -m torch.distributed.run --nnodes=N --node_rank=RANK --nproc_per_node=1 SCRIPT ARGUMENTS``. The script gets
    the same rank and world size. Here it gets them directly, because some builds of torch lack what the launcher needs.
    """

    def __init__(self, num_processes: int, local_mode: bool, use_gpu: bool) -> None:
        assert not local_mode and not use_gpu
        self._n_processes = num_processes

    def run(self, script: str, folder: str, checkpoint: str) -> None:
        path = EXAMPLES.parent / script
        assert path.parent == EXAMPLES and Path(checkpoint) == Path(folder) / "checkpoint"
        assert ended(begin(path.name, self._n_processes, Path(folder))) == [0] * self._n_processes
