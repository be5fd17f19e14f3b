"""The command line of the bridge: ``rbridge export-r``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Optional, Sequence

from pystrat.cli import check_output, run, sampler_command, sampler_of
from rbridge.export import export_r


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line. Return the exit status: 0, or 2 after an error, which is printed on one line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the name of the program. Default: those of the process.
    """
    parser = argparse.ArgumentParser(prog="rbridge", description="Samplers of pystrat in R, without Python.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    export = sampler_command(commands, "export-r", "write an R script that makes the same sampler in R", _run_export)
    export.add_argument("--out", type=Path, required=True, metavar="SCRIPT", help="the output script, ending in .R")
    return run(parser, arguments)


def _run_export(options: argparse.Namespace) -> None:
    check_output(options.out, options.file)
    script = export_r(sampler_of(options), options.out)
    print(f'Make the generator in R with source("{script}")$value.')
