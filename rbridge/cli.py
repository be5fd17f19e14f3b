"""The command line of the bridge: ``rbridge export-r``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Optional, Sequence

from pystrat.cli import run, sampler_command, sampler_of
from rbridge.export import export_r


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status, as `pystrat.cli.main` does."""
    parser = argparse.ArgumentParser(prog="rbridge", description="Samplers of pystrat in R, without Python.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    export = sampler_command(commands, "export-r", "write an R script that makes the same sampler in R", _export)
    export.add_argument("--out", type=Path, required=True, metavar="SCRIPT", help="the output script, ending in .R")
    return run(parser, arguments)


def _export(options: dict[str, Any]) -> None:
    out = options.pop("out")
    script = export_r(sampler_of(options, out), out)
    print(f'Make the generator in R with source("{script}")$value.')
