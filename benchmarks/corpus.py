"""Corpora: finding and reading lines of 20 files with a million lines, and an output layer of a sampled vocabulary."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from rounds import head, interleaved, ratio, show

from pystrat import BatchesByLength, EpochSubsetBatchSampler, PerplexityBatchSampler
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler

N_FILES, N_LINES = 20, 1_000_000
# Width of the layer and tokens of a step are such that a step takes seconds also where torch has a plain BLAS: of a
# layer 256 wide, with 256 tokens, one of the full softmax took 40 seconds with the BLAS that Debian has by default.
SIZE, SAMPLED, WIDTH, TOKENS = 100_000, 5_000, 64, 64


def write_files(folder: Path) -> list[Path]:
    """Write files of 2 : 1 : 2/3 : ... of the lines, each of 5 to 100 bytes."""
    dice = np.random.default_rng(1)
    shares = 1 / np.arange(1, N_FILES + 1)
    counts = np.floor(shares / shares.sum() * N_LINES).astype(int)
    counts[0] += N_LINES - counts.sum()
    paths = []
    for place, count in enumerate(counts):
        paths.append(folder / f"file{place:02}.txt")
        lengths = dice.integers(5, 101, count)
        paths[-1].write_text("".join("x" * length + "\n" for length in lengths.tolist()), encoding="ascii")
    return paths


def lines_found(paths: list[Path]) -> None:
    """Find the lines of all files, and go through them as Python does."""

    def go_through() -> None:
        for path in paths:
            with open(path, "rb") as text:
                for _ in text:
                    pass

    timings = interleaved({"find": lambda: CorpusDataset(paths, [".txt"]), "python": go_through}, rounds=15)
    show("finding 10^6 lines in 20 files over a loop through their lines", ratio(timings, "find", "python"), 1.0)


def epochs_drawn(folder: Path) -> None:
    """Draw an epoch of a mixture; numpy draws as many numbers file by file and permutes them."""
    rules = ["file00 50", "file0 30", "* 20"]
    for sample, rounds in ((100_000, 31), (1_000_000, 15)):
        mixture = CorpusMixtureBatchSampler(folder, 64, suffixes=[".txt"], sample=sample, rules=rules, seed=1)
        generator = np.random.default_rng(1)

        def by_numpy(mixture: CorpusMixtureBatchSampler = mixture, generator: np.random.Generator = generator) -> Any:
            drawn, first = [], 0
            for file in mixture.plan.files:
                drawn.append(first + generator.integers(0, file.lines, file.drawn))
                first += file.lines
            return generator.permutation(np.concatenate(drawn))

        timings = interleaved({"ours": mixture.batches, "numpy": by_numpy}, rounds=rounds)
        show(f"an epoch of {sample:,} lines by rules over numpy's", ratio(timings, "ours", "numpy"), 1.5)


def batches_by_length(folder: Path) -> None:
    """Cut an epoch into batches of lines of similar length, over an epoch of batches in drawn order."""
    lengths = np.random.default_rng(2).geometric(0.05, N_LINES)
    for window in (10_000, None):
        parameters: dict[str, Any] = {"suffixes": [".txt"], "sample": 1_000_000, "seed": 1}
        plain = CorpusMixtureBatchSampler(folder, 64, **parameters)
        cut = BatchesByLength(plain, lengths, max_tokens=4000, window=window)
        epochs = iter(range(10**6))  # the latest one is kept
        timings = interleaved(
            {"by length": lambda: cut.batches(next(epochs)), "plain": lambda: plain.batches(0)}, rounds=15
        )
        within = "the epoch" if window is None else f"windows of {window:,}"
        show(
            f"an epoch of 1,000,000 lines by length in {within} over drawn order", ratio(timings, "by length", "plain")
        )


def lines_read(folder: Path) -> None:
    """Read 100,000 drawn lines in batches; Python reads all lines of all files into lists and picks them there."""
    mixture = CorpusMixtureBatchSampler(folder, 64, suffixes=[".txt"], sample=100_000, seed=1)
    dataset = mixture.dataset()
    rows = mixture.batches(0).rows.tolist()

    def whole() -> list[str]:
        lines: list[str] = []
        for path in sorted(folder.glob("*.txt")):
            lines += path.read_text(encoding="utf-8").split("\n")[:-1]
        return [lines[row] for row in rows]

    def in_batches() -> None:
        for begin in range(0, len(rows), 64):
            dataset.__getitems__(rows[begin : begin + 64])

    timings = interleaved({"batches": in_batches, "whole": whole}, rounds=15)
    show(
        "reading 100,000 drawn lines in batches of 64 over reading all files whole",
        ratio(timings, "batches", "whole"),
        4.0,
    )


def subsets_drawn() -> None:
    """Draw 100,000 of 10^6 examples by each method; numpy draws uniformly with replacement, and by weights."""
    generator = np.random.default_rng(1)
    weights = generator.uniform(1, 20, N_LINES)
    weights /= weights.sum()
    contestants: dict[str, Callable[[], Any]] = {
        "numpy integers": lambda: generator.integers(0, N_LINES, 100_000),
        "numpy choice": lambda: generator.choice(N_LINES, 100_000, p=weights),
    }
    for method in ("uniform", "partition"):
        contestants[method] = EpochSubsetBatchSampler(N_LINES, 100_000, 64, method=method, seed=1).batches
    sampler = PerplexityBatchSampler(N_LINES, 100_000, 64, seed=1)
    sampler.report(np.arange(N_LINES), generator.uniform(0, 3, N_LINES))
    contestants["perplexity"] = sampler.batches
    timings = interleaved(contestants, rounds=15)
    for method, other, reach in (
        ("uniform", "numpy integers", 3.0),
        ("partition", "numpy integers", 6.0),
        ("perplexity", "numpy choice", 3.0),
    ):
        show(f"100,000 of 10^6 examples, {method}, over {other}", ratio(timings, method, other), reach)


# The sampled vocabulary -----------------------------------------------------------------------------------------------


class Trainer:
    """Steps of a model with an output layer of 100,000 words, full or restricted to 5,000."""

    def __init__(self, *, sampled: bool) -> None:
        import torch

        from pystrat.corpus.vocabulary import SampledOutput

        torch.manual_seed(1)
        self.torch = torch
        self.model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, SIZE))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        ids = np.random.default_rng(1).choice(SIZE, SAMPLED, replace=False)
        self.inputs = torch.randn(TOKENS, WIDTH)
        self.ids = torch.as_tensor(ids[:TOKENS])
        output: Any = self.model[2]
        self.context = SampledOutput(self.model, output, ids, self.optimizer) if sampled else None

    def steps(self, count: int) -> None:
        """Make steps, in the context where there is one."""
        if self.context is None:
            self._steps(count, self.ids)
            return
        self.optimizer.zero_grad(set_to_none=True)
        with self.context as restricted:
            self._steps(count, restricted.targets(self.ids))

    def _steps(self, count: int, targets: Any) -> None:
        for _ in range(count):
            self.optimizer.zero_grad(set_to_none=True)
            self.torch.nn.functional.cross_entropy(self.model(self.inputs), targets).backward()
            self.optimizer.step()


def vocabulary_times() -> None:
    """Time a step, and one with all the exchanging of an epoch, of which it is the only step."""
    full, sampled = Trainer(sampled=False), Trainer(sampled=True)
    timings = interleaved({"full": lambda: full.steps(1), "sampled": lambda: sampled.steps(1)}, rounds=5)
    claim = f"an epoch of one step with {SAMPLED:,} of {SIZE:,} words over the full softmax"
    show(claim, ratio(timings, "sampled", "full"), 0.2)
    timings = interleaved({"full": lambda: full.steps(1), "sampled": lambda: sampled.steps(20)}, rounds=3)
    claim = f"an epoch of 20 steps with {SAMPLED:,} of {SIZE:,} words over one step of the full softmax"
    show(claim, ratio(timings, "sampled", "full"), 2.0)


def vocabulary_memory() -> None:
    """Compare the memory that 3 steps add to that of the model and its optimizer, in processes of their own."""
    peaks = {}
    for kind in ("full", "sampled"):
        done = subprocess.run(
            [sys.executable, __file__, "memory", kind], capture_output=True, text=True, check=True, env=dict(os.environ)
        )
        peaks[kind] = int(done.stdout)
    found = peaks["sampled"] / peaks["full"]
    show("the memory that steps take besides model and optimiser, over the full softmax", (found, found, found), 0.4)


def print_memory(kind: str) -> None:
    import resource

    trainer = Trainer(sampled=kind == "sampled")
    for parameter in trainer.model.parameters():  # the optimizer's state, which both have
        parameter.grad = trainer.torch.zeros_like(parameter)
    trainer.optimizer.step()
    trainer.optimizer.zero_grad(set_to_none=True)
    resident = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    before = int(resident) * resource.getpagesize()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts again from here
    trainer.steps(3)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024
    print(peak - before)


def main(arguments: Optional[list[str]] = None) -> None:
    if arguments:
        print_memory(arguments[1])
        return
    head()
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder))
        lines_found(paths)
        epochs_drawn(Path(folder))
        batches_by_length(Path(folder))
        lines_read(Path(folder))
    subsets_drawn()
    vocabulary_times()
    vocabulary_memory()


if __name__ == "__main__":
    main(sys.argv[1:])
