"""Make the plots, the claims of README.md, and the missed limits of method.md, all from ratios.csv and about.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import ratios
from ratios import FOLDER, Ratio

from pystrat._style import COLORS, SMALL

FIGURES = FOLDER / "figures"
BEGIN, END = "<!-- made by page.py: begin -->\n", "<!-- made by page.py: end -->\n"
WIDTH, HEIGHT = 4.6, 2.3  # inches, which is half the width of a page, so that 9 points stay 9 points

Key = tuple[str, str]  # the script, and what its ratio is of


@dataclass(frozen=True)
class Claim:
    """A claim: its sentence, the ratios in it, and the lines of its plot.

    The text of a line has a placeholder {} for the values of `at`; the keys of `at` are shown below the plot.
    """

    name: str
    title: str
    sentence: str
    named: dict[str, Key]
    lines: dict[str, Key]
    at: dict[str, str]
    x_label: str
    y_label: str
    is_share: bool = True

    @property
    def picture(self) -> str:
        return f"figures/{self.name}.svg"


ROWS = {"20 k": "20,000", "1 M": "1,000,000", "10 M": "10,000,000"}
TWO = "{} rows, 2 strata, mean batch 256"
BIG = "1,000,000 rows, 2 strata, mean batch 256"
OVER_ITS_TIME = "our time in percent of the time of"
BY_BATCH = "R, an epoch batch by batch over"
WEIGHTED = "with replacement, n = {}, over"
LOADER = "DataLoader over the same with torch's"
FLOOR = "over one fixed batch"

CLAIMS = (
    Claim(
        name="epoch",
        title="An epoch costs less than plain shuffling.",
        sentence="Stratified batches of 1,000,000 rows, as lists, take {shuffled:.0%} of the time of PyTorch's "
        "shuffled batches, and {weighted:.0%} of that of its weighted ones.",
        named={
            "shuffled": ("lists.py", f"as lists over BatchSampler(RandomSampler), {BIG}"),
            "weighted": ("lists.py", f"as lists over BatchSampler(WeightedRandomSampler), {BIG}"),
        },
        lines={
            "torch.randperm": ("epoch.py", f"as arrays over torch.randperm, {TWO}"),
            "numpy's permutation": ("epoch.py", f"as arrays over numpy's permutation, {TWO}"),
            "torch, shuffled batches": ("lists.py", f"as lists over BatchSampler(RandomSampler), {TWO}"),
            "imbalanced-learn": (
                "lists.py",
                f"all rows as lists over imbalanced-learn's balanced batches of 6% of the rows, {TWO}",
            ),
            "scikit-learn's folds": ("lists.py", f"as lists over scikit-learn's StratifiedKFold, {TWO}"),
            "torch, weighted batches": ("lists.py", f"as lists over BatchSampler(WeightedRandomSampler), {TWO}"),
            "mlr3torchAUM's form": ("epoch.R", f"{BY_BATCH} the published data.table form, {{}} rows, 2 strata, m = 7"),
        },
        at={"20 k": "20,000", "100 k": "100,000", "1 M": "1,000,000", "10 M": "10,000,000"},
        x_label="rows of the dataset",
        y_label=OVER_ITS_TIME,
    ),
    Claim(
        name="weighted",
        title="Weighted batches stay fast in large datasets.",
        sentence="A batch of 256 rows, drawn by weight from 1,000,000, takes {torch:.1%} of the time of "
        "`torch.multinomial()`, and {numpy:.1%} of that of numpy's `choice(p=)`.",
        named={
            "torch": ("weighted.py", f"{WEIGHTED.format('1,000,000')} torch.multinomial"),
            "numpy": ("weighted.py", f"{WEIGHTED.format('1,000,000')} numpy choice(p=)"),
        },
        lines={
            "torch.multinomial": ("weighted.py", f"{WEIGHTED} torch.multinomial"),
            "WeightedRandomSampler": ("weighted.py", f"{WEIGHTED} WeightedRandomSampler"),
            "numpy's choice(p=)": ("weighted.py", f"{WEIGHTED} numpy choice(p=)"),
        },
        at={"65 k": "65,536", "1 M": "1,000,000"},
        x_label="rows of the dataset, batches of 256",
        y_label=OVER_ITS_TIME,
    ),
    Claim(
        name="r",
        title="R is as fast.",
        sentence="In R an epoch of 1,000,000 rows, batch by batch, takes {published:.1%} of the time of the published "
        "data.table form (mlr3torchAUM), and {shuffled:.0%} of that of `sample.int()` alone.",
        named={
            "published": ("epoch.R", f"{BY_BATCH} the published data.table form, 1,000,000 rows, 2 strata, m = 7"),
            "shuffled": ("epoch.R", f"{BY_BATCH} sample.int, 1,000,000 rows, 2 strata, m = 7"),
        },
        lines={
            "sample.int()": ("epoch.R", f"{BY_BATCH} sample.int, {{}} rows, 2 strata, m = 7"),
            "mlr3torchAUM's form": ("epoch.R", f"{BY_BATCH} the published data.table form, {{}} rows, 2 strata, m = 7"),
        },
        at={"20 k": "20,000", "1 M": "1,000,000"},
        x_label="rows of the dataset",
        y_label=OVER_ITS_TIME,
    ),
    Claim(
        name="memory",
        title="Memory is a few bytes per row.",
        sentence="With 1,000,000 rows of two strata, a sampler takes {held:g} bytes per row, {peak:g} while it "
        "computes an epoch, and {pickled:g} in the pickle that a worker gets.",
        named={
            "held": ("memory.py", f"bytes a row held, {BIG}"),
            "peak": ("memory.py", f"bytes a row at the peak of an epoch, held ones included, {BIG}"),
            "pickled": ("memory.py", f"bytes a row pickled, {BIG}"),
        },
        lines={
            "while it computes": ("memory.py", f"bytes a row at the peak of an epoch, held ones included, {TWO}"),
            "held": ("memory.py", f"bytes a row held, {TWO}"),
            "pickled": ("memory.py", f"bytes a row pickled, {TWO}"),
        },
        at=ROWS,
        x_label="rows of the dataset",
        y_label="bytes per row",
        is_share=False,
    ),
    Claim(
        name="loader",
        title="A whole DataLoader is faster.",
        sentence="An epoch of a `DataLoader` over 1,000,000 rows takes {plain:.0%} of the time that it takes with "
        "PyTorch's shuffled batches, and {workers:.0%} with 2 workers, which hide most of what a sampler costs.",
        named={
            "plain": ("loader.py", f"{LOADER} random batches, 1,000,000 rows, 0 workers"),
            "workers": ("loader.py", f"{LOADER} random batches, 1,000,000 rows, 2 workers"),
        },
        lines={
            "torch, shuffled batches": ("loader.py", f"{LOADER} random batches, {{}} workers"),
            "torch, weighted batches": ("loader.py", f"{LOADER} weighted batches, {{}} workers"),
        },
        at={
            "20 k": "20,000 rows, 0",
            "1 M": "1,000,000 rows, 0",
            "1 M, 2 workers": "1,000,000 rows, 2",
        },
        x_label="rows of the dataset",
        y_label=OVER_ITS_TIME,
    ),
    Claim(
        name="loop",
        title="Loading takes almost no time.",
        sentence="A loop that trains a small network on 200,000 rows takes {slow:.1f} times as long with a "
        "`DataLoader` as with one fixed batch, and {fast:.2f} times with `TensorLoader`. In mlr3torch, it takes "
        "{r_slow:.1f} times as long with batches from the task, and {r_fast:.2f} times with the callback.",
        named={
            "slow": ("loop.py", f"DataLoader, batch_sampler= {FLOOR}, 200,000 rows"),
            "fast": ("loop.py", f"TensorLoader {FLOOR}, 200,000 rows"),
            "r_slow": ("loop.R", f"R, mlr3torch, batches from the task {FLOOR}, 200,000 rows"),
            "r_fast": ("loop.R", f"R, mlr3torch, rbridge.tensor_loader {FLOOR}, 200,000 rows"),
        },
        lines={
            "mlr3torch, the task": ("loop.R", f"R, mlr3torch, batches from the task {FLOOR}, {{}} rows"),
            'read = "table"': ("loop.R", f"R, mlr3torch, read = table {FLOOR}, {{}} rows"),
            "tensor_dataset = TRUE": ("loop.R", f"R, mlr3torch, tensor_dataset = TRUE {FLOOR}, {{}} rows"),
            "rbridge.tensor_loader": ("loop.R", f"R, mlr3torch, rbridge.tensor_loader {FLOOR}, {{}} rows"),
            "DataLoader": ("loop.py", f"DataLoader, batch_sampler= {FLOOR}, {{}} rows"),
            "TensorLoader": ("loop.py", f"TensorLoader {FLOOR}, {{}} rows"),
        },
        at={"20 k": "20,000", "200 k": "200,000"},
        x_label="rows of the dataset",
        y_label="time of an epoch over that of the loop on one batch",
        is_share=False,
    ),
)

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


# The plots ------------------------------------------------------------------------------------------------------------


def points(line: Key, claim: Claim, found: Found) -> dict[int, float]:
    """Return the measured ratios, by their place among the values below the plot."""
    script, what = line
    keys = [(script, what.format(value)) for value in claim.at.values()]
    return {place: float(found[key].ratio) for place, key in enumerate(keys) if key in found}


def draw(claim: Claim, found: Found) -> Any:
    """Draw how a ratio changes with the number of rows, a line for each alternative."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axis = figure.subplots()
    for number, (label, line) in enumerate(claim.lines.items()):
        at = points(line, claim, found)
        style = {"color": COLORS[number % len(COLORS)], "marker": "os^Dvph"[number], "markersize": 4}
        axis.plot(list(at), list(at.values()), label=label, linewidth=1.3, **style)
    if claim.is_share:
        axis.set_yscale("log")
        axis.axhline(1, color="#999999", linewidth=0.8, linestyle="dotted")
        lowest, highest = axis.get_ylim()
        values = (0.003, 0.01, 0.03, 0.1, 0.3, 1, 3) if highest > 5 * lowest else (0.3, 0.4, 0.5, 0.7, 1)
        ticks = [tick for tick in values if lowest <= tick <= highest]
        axis.set_yticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
        axis.minorticks_off()
    else:
        axis.set_ylim(bottom=0)
        axis.yaxis.get_major_locator().set_params(integer=True)
    axis.set_xticks(range(len(claim.at)), claim.at)
    axis.set_xlim(-0.3, len(claim.at) - 0.7)
    axis.tick_params(labelsize=SMALL)
    axis.set_xlabel(claim.x_label, fontsize=SMALL)
    axis.set_title(claim.y_label, fontsize=SMALL, loc="left")
    axis.legend(fontsize=SMALL, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.2)
    return figure


# The texts ------------------------------------------------------------------------------------------------------------


def sentence(claim: Claim, found: Found) -> str:
    return claim.sentence.format(**{name: float(found[key].ratio) for name, key in claim.named.items()})


def alternative(claim: Claim, found: Found) -> str:
    """Return the alternative text of a plot."""
    factor, unit = (100, " %") if claim.is_share else (1, "")
    lines = []
    ticks = list(claim.at)
    for label, line in claim.lines.items():
        at = points(line, claim, found).items()
        values = [f"{factor * value:.3g}{unit} at {ticks[place]}" for place, value in at]
        lines.append(f"{label}: {', '.join(values)}")
    measured = "our time in percent of the time of each alternative" if claim.is_share else claim.y_label
    return f"{measured.capitalize()}, by {claim.x_label}: {'; '.join(lines)}."


def claims_table(found: Found) -> str:
    """Return the claims as a table, a sentence and a plot in a row."""
    rows = ["| | |", "| --- | --- |"]
    for claim in CLAIMS:
        image = f"![{alternative(claim, found)}]({claim.picture})"
        rows.append(f"| **{claim.title}** {sentence(claim, found)} | {image} |")
    return "\n".join(rows) + "\n"


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
        "README.md": claims_table(found),
        "method.md": limits_text(found),
        "../docs/fast-epochs.md": epochs_table(found),
    }
    return {name: replaced((FOLDER / name).read_text(encoding="utf-8"), text) for name, text in texts.items()}


def write_all() -> None:
    from matplotlib import rc_context

    found = by_key()
    FIGURES.mkdir(exist_ok=True)
    for claim in CLAIMS:
        with rc_context({"svg.hashsalt": claim.name}):  # the same file from the same ratios
            draw(claim, found).savefig(FOLDER / claim.picture, metadata={"Date": None})
    for name, page in pages(found).items():
        (FOLDER / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_all()
