"""Train a word model on files: a mixture by rules, a sampled vocabulary, batches by tokens, sampling by perplexity.

The text is the licenses in /usr/share/common-licenses, one file per license and one line per line of text. Every tenth
line is held out. A small recurrent network learns to predict each word of a line from the words before it:

1. For some epochs, a mixture draws lines from the files by rules, and keeps all lines of some files. Each epoch trains
   the output layer only on the words of its own sample.
2. Then the model trains on all lines, and those with the highest perplexity are drawn most often. It reports losses
   under the full vocabulary, because losses under sampled ones cannot be compared.

No batch has more than `MAX_TOKENS` words, including padding. The loss on held-out lines is printed after each epoch.

    python examples/language_model_from_files.py
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Iterable, Optional

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from pystrat import BatchesByLength, PerplexityBatchSampler
from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from pystrat.corpus.vocabulary import IGNORED, SampledOutput, sampled_vocabulary

FOLDER = Path("/usr/share/common-licenses")
RULES = ["BSD,Artistic *", "GPL 70", "* 30"]  # keep the short ones; of the rest, draw 70 % from the GNU licenses
SAMPLE, MAX_LENGTH, MAX_TOKENS, WINDOW = 1000, 14, 512, 500
MIXED_EPOCHS, PERPLEXITY_EPOCHS = 4, 4
WIDTH, LEARNING_RATE = 64, 5e-3
PADDING, UNKNOWN, END = 0, 1, 2
ByPerplexity = Optional[PerplexityBatchSampler]


def write_corpus(folder: Path) -> list[str]:
    """Write the lines of each license to a file in the folder, and return the held-out lines."""
    held_out = []
    for path in sorted(path for path in FOLDER.iterdir() if path.is_file() and not path.is_symlink()):
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        held_out += lines[9::10]
        kept = [line for number, line in enumerate(lines) if number % 10 != 9]
        (folder / f"{path.name}.txt").write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return held_out


class Words:
    """Numbers of words. An instance is a transform for a dataset: it converts the tuple of a line to a tensor."""

    def __init__(self, lines: Iterable[tuple[str, ...]]) -> None:
        known = sorted({word for (line,) in lines for word in line.split()})
        self.numbers = {word: number for number, word in enumerate(known, END + 1)}

    def __len__(self) -> int:
        return len(self.numbers) + END + 1

    def __call__(self, lines: tuple[str, ...]) -> torch.Tensor:
        (line,) = lines
        return torch.tensor([END, *(self.numbers.get(word, UNKNOWN) for word in line.split()), END])


class WordModel(nn.Module):
    """Predict the logits of each word of a line from the words before it."""

    def __init__(self, n_words: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, WIDTH, padding_idx=PADDING)
        self.recurrent = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.output = nn.Linear(WIDTH, n_words)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.output(self.recurrent(self.embedding(words))[0])
        return logits


def padded(items: list[tuple[int, torch.Tensor]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the positions and the lines of a batch, padded to the longest line."""
    positions, lines = zip(*items)
    return torch.tensor(positions), pad_sequence(list(lines), batch_first=True, padding_value=PADDING)


def losses_of(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean negative log-likelihood per word of each line."""
    of_words = cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=IGNORED)
    losses: torch.Tensor = of_words.sum(dim=1) / (targets != IGNORED).sum(dim=1)
    return losses


def full_targets(words: torch.Tensor) -> torch.Tensor:
    return words.masked_fill(words == PADDING, IGNORED)


def train_epoch(
    model: WordModel, optimizer: Any, dataset: CorpusDataset, sampler: BatchesByLength, perplexity: ByPerplexity
) -> None:
    """Train on the next epoch, with its own vocabulary, or with the full one if a sampler takes reports of losses."""
    context: Any = nullcontext()
    if perplexity is None:
        lines = [line for _, line in dataset.__getitems__(sampler.batches().rows.tolist())]
        context = SampledOutput(model, model.output, sampled_vocabulary(lines, always=[UNKNOWN, END]), optimizer)
    with context as output:
        for positions, words in DataLoader(dataset, batch_sampler=sampler, collate_fn=padded):
            optimizer.zero_grad(set_to_none=True)
            following = words[:, 1:]
            targets = output.targets(following, ignore_index=PADDING) if perplexity is None else full_targets(following)
            losses = losses_of(model(words[:, :-1]), targets)
            losses.mean().backward()
            optimizer.step()
            if perplexity is not None:
                perplexity.report(positions, losses)


def held_out_loss(model: WordModel, lines: list[torch.Tensor]) -> float:
    """Return the mean loss on lines with the full vocabulary."""
    words = pad_sequence(lines, batch_first=True, padding_value=PADDING)
    with torch.no_grad():
        return float(losses_of(model(words[:, :-1]), full_targets(words[:, 1:])).mean())


def samplers_of(
    folder: Path, words: Words, seed: int
) -> list[tuple[BatchesByLength, CorpusDataset, int, ByPerplexity]]:
    """Return the mixture and the sampler by perplexity, each with its dataset, epochs and the taker of reports."""
    by_tokens: dict[str, Any] = {"max_tokens": MAX_TOKENS, "window": WINDOW}
    mixture = CorpusMixtureBatchSampler(
        folder, SAMPLE, suffixes=[".txt"], sample=SAMPLE, rules=RULES, max_length=MAX_LENGTH, seed=seed
    )
    print(mixture.plan().to_string(index=False))
    of_lines = np.minimum(mixture.dataset().lengths(), MAX_LENGTH)  # longer lines are never drawn
    whole = CorpusDataset(folder, suffixes=[".txt"], transform=words, positions=True, max_length=MAX_LENGTH)
    lengths = np.array([len(line) - 2 for _, line in whole])  # without the end markers
    hardest = PerplexityBatchSampler(len(whole), SAMPLE, n_batches=1, seed=seed)
    mixed = mixture.dataset(transform=words, positions=True)
    return [
        (BatchesByLength(mixture, of_lines, **by_tokens), mixed, MIXED_EPOCHS, None),
        (BatchesByLength(hardest, lengths, **by_tokens), whole, PERPLEXITY_EPOCHS, hardest),
    ]


def train(folder: Path, seed: int = 1) -> list[float]:
    """Train a model. Print the loss on the held-out lines after each epoch, and return these losses."""
    held_out = write_corpus(folder)
    words = Words(CorpusDataset(folder, suffixes=[".txt"]))
    lines = [words((line,)) for line in held_out]
    torch.manual_seed(seed)
    model = WordModel(len(words))
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    found = [held_out_loss(model, lines)]
    print(f"{len(words)} words, {len(lines)} lines held out; before training their loss is {found[0]:.2f}.")
    for sampler, dataset, n_epochs, perplexity in samplers_of(folder, words, seed):
        for _ in range(n_epochs):
            n_batches = len(sampler)
            train_epoch(model, optimizer, dataset, sampler, perplexity)
            found.append(held_out_loss(model, lines))
            kind = "mixture by rules" if perplexity is None else "by perplexity"
            print(f"epoch {len(found) - 1}, {kind}, {n_batches} batches: {found[-1]:.2f}", flush=True)
    return found


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        train(Path(temporary))
