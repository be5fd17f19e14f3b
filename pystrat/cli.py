"""The command line: ``pystrat demo``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional, Sequence


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return its exit status: 0, or 2 after an error, told on one line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; from the process where not given.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except (OSError, ValueError, TypeError, ImportError) as error:
        print(f"pystrat: {error}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pystrat", description="Stratified batch sampling for deep learning, the same in Python and in R."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="show plain and stratified batches of published and of real data, in Python and in R",
        description="Shows plain and stratified batches of the published simulation and of the National Survey of "
        "Children's Health, through a PyTorch DataLoader and through R's torch::dataloader, and compares them row for "
        "row. Without R, the Python half alone.",
    )
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="FOLDER",
        help="where the tables and the plot are saved (default: %(default)s)",
    )
    demo.set_defaults(run=_run_demo)
    return parser


def _run_demo(options: argparse.Namespace) -> int:
    from pystrat.demo import run_demo

    return 0 if run_demo(options.out) else 1
