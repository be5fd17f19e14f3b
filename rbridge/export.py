"""A Python sampler -> an R script that makes the same sampler without Python."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path
from typing import Any, Union

from pystrat.messages import refusal, show
from pystrat.stratified.sampler import StratifiedBatchSampler
from rbridge._install import r_package_version
from rbridge.torch_sampler import check_sampler, codes_and_names

_TEMPLATE = """\
# A stratified batch sampler, the same as in Python. In R: generator = source(this_file)$value
# Needs the R packages torch and rbridge (version {version}) and, beside this script, the file named below.

rbridge::batch_sampler_stratified(
{arguments}
)
"""


def export_r(sampler: StratifiedBatchSampler, path: Union[str, Path]) -> Path:
    """Write an R script that makes the same generator in a plain R session, without Python.

    Parameters
    ----------
    sampler : StratifiedBatchSampler
    path : path
        Of the script; must end in ``.R``. The numbers of the strata go beside it, into a file whose name ends in
        ``.codes.gz`` instead. Both are overwritten where they exist, and can be moved together.

    Returns
    -------
    pathlib.Path
        The script. In R, ``source(script)$value`` is the generator, as `as_torch_sampler` gives it.

    Raises
    ------
    TypeError, ValueError
        Where `sampler` is no `StratifiedBatchSampler` or has a rank, or the path does not end in ``.R``.
    OSError
        Where a file cannot be written.
    """
    check_sampler(sampler, "export_r")
    script = Path(path)
    if script.suffix != ".R":
        raise ValueError(refusal("path", "export_r", "end in .R", show(str(script))))
    data = script.with_suffix(".codes.gz")
    codes, names = codes_and_names(sampler)
    # No time of writing and no name in the header: the same sampler gives the same bytes.
    compressed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=compressed, mtime=0) as stream:
        stream.write(codes.astype("<i4").tobytes())
    arguments = {name: _literal(value) for name, value in sampler.parameters.items() if value is not None}
    arguments["seed"] = _literal(sampler.seed)
    checksum = hashlib.md5(compressed.getvalue()).hexdigest()
    arguments["strata"] = _strata_call(data.name, len(codes), names, checksum)
    lines = ",\n".join(f"  {name} = {value}" for name, value in arguments.items())
    text = _TEMPLATE.format(version=r_package_version(), arguments=lines)
    data.write_bytes(compressed.getvalue())
    script.write_text(text, encoding="ascii")
    return script


def _strata_call(data: str, n_rows: int, names: list[str], checksum: str) -> str:
    listed = ",\n".join(f"      {_literal(name)}" for name in names)
    return (
        "rbridge::read_stratum_codes(\n"
        f"    file.path(rbridge::script_folder(), {_literal(data)}),\n"
        f"    n_rows = {n_rows},\n"
        f"    names = c(\n{listed}\n    ),\n"
        f"    md5 = {_literal(checksum)}\n  )"
    )


def _literal(value: Any) -> str:
    """Write a value as R reads it; text in ASCII, whatever the locale of the session to come."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return '"' + "".join(_character(character) for character in value) + '"'
    return repr(value)


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isascii() and character.isprintable():
        return character
    return f"\\U{{{ord(character):x}}}"
