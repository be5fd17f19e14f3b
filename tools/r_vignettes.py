"""Writes the vignettes of the R package from the rendered ones: vignettes/NAME.md -> rbridge/r/vignettes/NAME.Rmd.

    .venv/bin/python tools/r_vignettes.py            after `make vignettes`, which runs it
    .venv/bin/python tools/r_vignettes.py --check    write nothing; fail if a text differs from the committed one

The R package builds its vignettes without running their code: what the code prints is in the text already, so neither
Python nor LibTorch is needed. Figures are smaller here, with fewer colors. They are not compared, since their bytes
differ between machines; that each of them is there is checked.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "vignettes"
TARGET = ROOT / "rbridge" / "r" / "vignettes"
FIGURE_WIDTH = 720

HEADER = """---
title: "{title}"
output:
  rmarkdown::html_vignette:
    mathjax: null
vignette: >
  %\\VignetteIndexEntry{{{title}}}
  %\\VignetteEngine{{knitr::rmarkdown}}
  %\\VignetteEncoding{{UTF-8}}
---

*The code of this page ran beforehand, in R and in Python. Files that it names are in the repository of the project.*
"""
# A link or a figure: its mark, text and target, without the part of the page that it names.
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)#\s]+)[^)]*\)")
# Code that knitr would run.
RUNS = re.compile(r"^```+ *\{|`r [^`]+`", flags=re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Write or check the vignettes, and return the exit status."""
    files = {}
    for source in sorted(SOURCES.glob("*.md")):
        title, text = split_title(source.read_text(encoding="utf-8"))
        files[f"{source.stem}.Rmd"] = HEADER.format(title=title) + "".join(for_r(part) for part in parts(text))
    figures = {figure_name(path): path for path in sorted(SOURCES.glob("*_files/*/*.png"))}
    running = [name for name, text in files.items() if RUNS.search(text)]
    if running:
        raise SystemExit(f"vignettes: knitr would run code in {', '.join(running)}")
    if "--check" in arguments:
        return check(files, set(figures))
    write(files, figures)
    return 0


def split_title(text: str) -> tuple[str, str]:
    """Return the title, which a line of equals signs ends, and the text after it."""
    title, _, rest = text.partition("\n====")
    return " ".join(title.split()), rest.lstrip("=")


def parts(text: str) -> Iterator[str]:
    """Cut a text into code between fences, lines that were printed, and prose."""
    yield from re.findall(r"^```(?s:.*?)^```\n|^    #>.*\n|(?:^(?!```|    #>).*\n)+", text, flags=re.MULTILINE)


def for_r(part: str) -> str:
    return part if part.startswith(("```", "    #>")) else LINK.sub(link_for_r, part)


def link_for_r(match: re.Match[str]) -> str:
    """Lead to the other vignettes of the package and to the web; of a file of the repository show the path."""
    mark, text, target = match.groups()
    if "://" in target:
        return match[0]
    path = (SOURCES / target).resolve()
    if mark:
        return f"![{text}]({figure_name(path)})"
    if path.parent == SOURCES and path.suffix == ".md":
        return f"[{text}]({path.stem}.html)"
    return text if path.name in text else f"{text} (`{path.relative_to(ROOT).as_posix()}`)"


def figure_name(path: Path) -> str:
    """Return the name of a figure beside the vignettes: that of the vignette and that of the figure."""
    return f"{path.parents[1].name.removesuffix('_files')}-{path.name}"


def check(files: dict[str, str], figures: set[str]) -> int:
    present = {path.name for path in TARGET.iterdir()} if TARGET.is_dir() else set()
    wrong = present ^ (set(files) | figures)
    wrong |= {name for name in present & set(files) if (TARGET / name).read_text(encoding="utf-8") != files[name]}
    for name in sorted(wrong):
        print(f"vignettes: rbridge/r/vignettes/{name} is not what tools/r_vignettes.py writes")
    return 1 if wrong else 0


def write(files: dict[str, str], figures: dict[str, Path]) -> None:
    TARGET.mkdir(exist_ok=True)
    for path in TARGET.iterdir():
        path.unlink()
    for name, text in files.items():
        (TARGET / name).write_text(text, encoding="utf-8")
    for name, path in figures.items():
        picture = Image.open(path).convert("RGB")
        height = round(picture.height * FIGURE_WIDTH / picture.width)
        smaller = picture.resize((FIGURE_WIDTH, height), Image.LANCZOS)
        # Of the ways to choose 256 colors, this one keeps the few pixels of a thin line in their color.
        smaller.quantize(256, method=Image.MAXCOVERAGE, dither=Image.NONE).save(TARGET / name, optimize=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
