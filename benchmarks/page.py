"""Make the claims of README.md, the missed limits of method.md and the table of docs/fast-epochs.md from ratios.csv."""

from __future__ import annotations

import json
from typing import NamedTuple

import ratios
from ratios import FOLDER, Ratio

BEGIN, END = "<!-- made by page.py: begin -->\n", "<!-- made by page.py: end -->\n"

Key = tuple[str, str]  # the script, and what its ratio is of


class Claim(NamedTuple):
    """A claim: its sentence, and the ratios in it."""

    title: str
    sentence: str
    named: dict[str, Key]


TWO = "{} rows, 2 strata, mean batch 256"
BIG, LARGEST = TWO.format("1,000,000"), TWO.format("10,000,000")
BY_BATCH = "R, an epoch batch by batch over"
IN_R = f"{BY_BATCH} {{}}, 1,000,000 rows, 2 strata, m = 7"
PUBLISHED = "the published data.table form"
WEIGHTED = "with replacement, n = 1,000,000, over"
LOADER = "DataLoader over the same with torch's"
FLOOR = "over one fixed batch"

CLAIMS = (
    Claim(
        "An epoch costs less than plain shuffling.",
        "Stratified batches of 1,000,000 rows, as lists, take {shuffled:.0%} of the time of PyTorch's shuffled "
        "batches, and {weighted:.0%} of that of its weighted ones.",
        {
            "shuffled": ("lists.py", f"as lists over BatchSampler(RandomSampler), {BIG}"),
            "weighted": ("lists.py", f"as lists over BatchSampler(WeightedRandomSampler), {BIG}"),
        },
    ),
    Claim(
        "Weighted batches stay fast in large datasets.",
        "A batch of 256 rows, drawn by weight from 1,000,000, takes {torch:.1%} of the time of `torch.multinomial()`, "
        "and {numpy:.1%} of that of numpy's `choice(p=)`.",
        {
            "torch": ("weighted.py", f"{WEIGHTED} torch.multinomial"),
            "numpy": ("weighted.py", f"{WEIGHTED} numpy choice(p=)"),
        },
    ),
    Claim(
        "R is as fast.",
        "In R an epoch of 1,000,000 rows, batch by batch, takes {published:.1%} of the time of the published "
        "data.table form (mlr3torchAUM), and {shuffled:.0%} of that of `sample.int()` alone.",
        {"published": ("epoch.R", IN_R.format(PUBLISHED)), "shuffled": ("epoch.R", IN_R.format("sample.int"))},
    ),
    Claim(
        "Memory is a few bytes per row.",
        "With 10,000,000 rows of two strata, a sampler takes {held:.0f} bytes per row after its first epoch, "
        "{peak:.0f} with an epoch as arrays, and {pickled:.0f} in the pickle that a worker gets.",
        {
            "held": ("memory.py", f"bytes a row held, {LARGEST}"),
            "peak": ("memory.py", f"bytes a row at the peak of an epoch, held ones included, {LARGEST}"),
            "pickled": ("memory.py", f"bytes a row pickled, {LARGEST}"),
        },
    ),
    Claim(
        "A whole DataLoader is faster.",
        "An epoch of a `DataLoader` over 1,000,000 rows takes {plain:.0%} of the time that it takes with PyTorch's "
        "shuffled batches, and {workers:.0%} with 2 workers, which hide most of what a sampler costs.",
        {
            "plain": ("loader.py", f"{LOADER} random batches, 1,000,000 rows, 0 workers"),
            "workers": ("loader.py", f"{LOADER} random batches, 1,000,000 rows, 2 workers"),
        },
    ),
    Claim(
        "Loading takes almost no time.",
        "A loop that trains a small network on 200,000 rows takes {slow:.1f} times as long with a `DataLoader` as with "
        "one fixed batch, and {fast:.2f} times with `TensorLoader`. In mlr3torch, it takes {r_slow:.1f} times as long "
        "with batches from the task, and {r_fast:.2f} times with the callback "
        "([all forms](../docs/fast-epochs.md)).",
        {
            "slow": ("loop.py", f"DataLoader, batch_sampler= {FLOOR}, 200,000 rows"),
            "fast": ("loop.py", f"TensorLoader {FLOOR}, 200,000 rows"),
            "r_slow": ("loop.R", f"R, mlr3torch, batches from the task {FLOOR}, 200,000 rows"),
            "r_fast": ("loop.R", f"R, mlr3torch, rbridge.tensor_loader {FLOOR}, 200,000 rows"),
        },
    ),
)

# The rows of the table of README.md, for each number of rows of the dataset.
SIZES = ("20,000", "1,000,000", "10,000,000")
SHARES: dict[str, Key] = {
    "`torch.randperm()`, which makes no batches": ("epoch.py", f"as arrays over torch.randperm, {TWO}"),
    "numpy's permutation, which makes no batches": ("epoch.py", f"as arrays over numpy's permutation, {TWO}"),
    "PyTorch's shuffled batches": ("lists.py", f"as lists over BatchSampler(RandomSampler), {TWO}"),
    "PyTorch's weighted batches": ("lists.py", f"as lists over BatchSampler(WeightedRandomSampler), {TWO}"),
    "imbalanced-learn's balanced batches, with 6 % of the rows": (
        "lists.py",
        f"all rows as lists over imbalanced-learn's balanced batches of 6% of the rows, {TWO}",
    ),
    "scikit-learn's folds as batches": ("lists.py", f"as lists over scikit-learn's StratifiedKFold, {TWO}"),
    "in R, `sample.int()`, which makes no batches": ("epoch.R", f"{BY_BATCH} sample.int, {{}} rows, 2 strata, m = 7"),
    "in R, the form of mlr3torchAUM": ("epoch.R", f"{BY_BATCH} {PUBLISHED}, {{}} rows, 2 strata, m = 7"),
    "a `DataLoader` with PyTorch's shuffled batches": ("loader.py", f"{LOADER} random batches, {{}} rows, 0 workers"),
    "a `DataLoader` with PyTorch's weighted batches": ("loader.py", f"{LOADER} weighted batches, {{}} rows, 0 workers"),
}

# The rows of the tables of docs/fast-epochs.md: the script, how the lines of a table begin, and what is measured.
EPOCHS: dict[str, tuple[str, str, dict[str, str]]] = {
    "Python": (
        "loop.py",
        "",
        {
            "`DataLoader(dataset, batch_size, shuffle=True)`": "DataLoader, torch's shuffle",
            "`DataLoader(dataset, batch_sampler=sampler)`": "DataLoader, batch_sampler=",
            "the same with 2 workers": "DataLoader, batch_sampler=, 2 workers",
            "`DataLoader(dataset, sampler=sampler, batch_size=None)`": "DataLoader, sampler=, batch_size=None",
            "the same, with 2 workers": "DataLoader, sampler=, batch_size=None, 2 workers",
            "`sampler=sampler, batch_size=None`, if a sampler yielded tensors": (
                "DataLoader, rows as tensors, batch_size=None"
            ),
            "`TensorLoader(*tensors, sampler=sampler)`": "TensorLoader",
            "one fixed batch": "one fixed batch",
        },
    ),
    "R, mlr3torch": (
        "loop.R",
        "R, mlr3torch, ",
        {
            "batches from the task, `shuffle = TRUE`": "batches from the task, torch's shuffle",
            "batches from the task": "batches from the task",
            "the same with 2 workers": "batches from the task, 2 workers",
            '`t_clbk("rbridge.tensor_loader", read = "table")`': "read = table",
            "`tensor_dataset = TRUE`, `shuffle = TRUE`": "tensor_dataset = TRUE, torch's shuffle",
            "`tensor_dataset = TRUE`": "tensor_dataset = TRUE",
            '`t_clbk("rbridge.tensor_loader")`': "rbridge.tensor_loader",
            "one fixed batch": "one fixed batch",
        },
    ),
    "R, a plain loop": (
        "loop.R",
        "R, a plain loop, ",
        {
            "`dataloader(dataset, batch_size, shuffle = TRUE)`": "dataloader, torch's shuffle",
            "`dataloader(dataset, batch_sampler = sampler)`": "dataloader",
            "the same with 2 workers": "dataloader, 2 workers",
            "`tensor_loader(..., sampler = sampler)`": "tensor_loader",
            "one fixed batch": "one fixed batch",
        },
    ),
}

AT = ("20,000", "200,000", "1,000,000")

Found = dict[Key, Ratio]


def by_key() -> Found:
    return {(ratio.script, ratio.what): ratio for ratio in ratios.read()}


def sentence(claim: Claim, found: Found) -> str:
    return claim.sentence.format(**{name: float(found[key].ratio) for name, key in claim.named.items()})


def claims_text(found: Found) -> str:
    """Return the claims, and our time in percent of that of each alternative."""
    lines = [f"- **{claim.title}** {sentence(claim, found)}" for claim in CLAIMS]
    lines += ["", f"| an epoch of ours, in percent of the time of | {' | '.join(f'{size} rows' for size in SIZES)} |"]
    lines += ["| --- | --- | --- | --- |"]
    for name, (script, what) in SHARES.items():
        measured = [found.get((script, what.format(size))) for size in SIZES]
        cells = ["–" if ratio is None else f"{100 * float(ratio.ratio):.3g} %" for ratio in measured]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def measured_text(about: dict[str, dict[str, str]]) -> list[str]:
    """Say when the scripts ran and with which versions, a line for each set of versions."""
    lines = ["Measured with:", ""]
    for versions in dict.fromkeys(script["versions"] for script in about.values()):
        of_versions = {name: script["date"] for name, script in about.items() if script["versions"] == versions}
        days, scripts = sorted(set(of_versions.values())), [f"`{name}`" for name in of_versions]
        lines.append(f"- {versions}, on {' and '.join(days)}: {', '.join(scripts)}")
    return lines


def limits_text(found: Found) -> str:
    """Say how many ratios have a limit, and which are above it."""
    limited = [ratio for ratio in found.values() if ratio.limit]
    missed = [ratio for ratio in limited if ratio.is_missed]
    verb = "is" if len(missed) == 1 else "are"
    lines = measured_text(json.loads((FOLDER / "about.json").read_text(encoding="utf-8")))
    lines += ["", f"Of {len(found)} ratios, {len(limited)} have a limit, and {len(missed)} {verb} above it:", ""]
    lines += ["| script | above its limit | ratio | quartiles | at most |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| `{m.script}` | {m.what} | {m.ratio} | {m.low} to {m.high} | {m.limit} |" for m in missed]
    return "\n".join(lines) + "\n"


def epochs_table(found: Found) -> str:
    """Return the seconds of epochs, and in brackets how often the time of a fixed batch that is."""
    rows = [f"| seconds of an epoch | {' | '.join(f'{n_rows} rows' for n_rows in AT)} |", "| --- | --- | --- | --- |"]
    for where, (script, begin, forms) in EPOCHS.items():
        rows.append(f"| **{where}** | | | |")
        for form, what in forms.items():
            cells = []
            for n_rows in AT:
                milliseconds = found.get((script, f"{begin}ms an epoch, {what}, {n_rows} rows"))
                share = found.get((script, f"{begin}{what} {FLOOR}, {n_rows} rows"))
                times = "" if share is None else f" ({float(share.ratio):.3g})"
                cells.append("–" if milliseconds is None else f"{float(milliseconds.ratio) / 1000:.3g}{times}")
            if set(cells) != {"–"}:
                rows.append(f"| {form} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def replaced(page: str, text: str) -> str:
    """Return a page with this text between its two marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def pages(found: Found) -> dict[str, str]:
    """Return the pages as they should be."""
    texts = {
        "README.md": claims_text(found),
        "method.md": limits_text(found),
        "../docs/fast-epochs.md": epochs_table(found),
    }
    return {name: replaced((FOLDER / name).read_text(encoding="utf-8"), text) for name, text in texts.items()}


def write_all() -> None:
    for name, page in pages(by_key()).items():
        (FOLDER / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_all()
