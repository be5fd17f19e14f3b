"""Export of a Python sampler as an R script that makes the same sampler without Python."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Union

from pystrat.base import BatchSampler
from pystrat.messages import check_path, refused_type, refused_value, show
from pystrat.recipe_file import recipe_bytes
from rbridge._install import r_package_version
from rbridge.callbacks import check_no_rank
from rbridge.torch_sampler import native_recipe

_TEMPLATE = """\
# A batch sampler, the same as in Python. In R: generator = source(this_file)$value
# Needs the R packages torch and rbridge (version {version}),
# and the file named below beside this script.

rbridge::read_batch_sampler(
  file.path(rbridge::script_folder(), {file}),
  md5 = "{checksum}"
)
"""


def export_r(sampler: BatchSampler, path: Union[str, Path]) -> Path:
    """Write an R script that makes the same generator in a plain R session, without Python.

    Parameters
    ----------
    sampler : BatchSampler
        Any sampler of `pystrat`. A sampler with feedback is exported with all the feedback it has received.
    path : path
        The path of the script; must end in ``.R``. The recipe of the sampler is written beside it, to a file whose name
        ends in ``.recipe`` instead: vectors without code, in the layout of safetensors. Existing files are replaced,
        each once the new one is written completely. The two files can be moved together.

    Returns
    -------
    pathlib.Path
        The path of the script. In R, ``source(script)$value`` is the generator, as `as_torch_sampler` returns it.

    Raises
    ------
    TypeError, ValueError
        If `sampler` is not a sampler of `pystrat` or has a rank, or `path` is not a path that ends in ``.R``.
    OSError
        If a file cannot be written completely.
    """
    recipe = native_recipe(sampler)
    if recipe is None:
        raise refused_type("sampler", "be a sampler of pystrat", show(sampler))
    check_no_rank(sampler)
    script = check_path(path, "path")
    if script.suffix != ".R":
        raise refused_value("path", "end in .R", show(str(script)))
    data = script.with_suffix(".recipe")
    content = recipe_bytes(recipe)
    checksum = hashlib.md5(content).hexdigest()
    text = _TEMPLATE.format(version=r_package_version(), file=_literal(data.name), checksum=checksum)
    _write_whole(data, content)
    _write_whole(script, text.encode("ascii"))
    return script


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: it is written aside, and renamed."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with open(aside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # raises an error if the disk is full and the file system noticed that late
        os.replace(aside, path)
    except BaseException:
        with suppress(FileNotFoundError):
            aside.unlink()
        raise


def _literal(text: str) -> str:
    """Return text as an R literal in ASCII, independent of the locale of the R session."""
    return '"' + "".join(_character(character) for character in text) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isascii() and character.isprintable():
        return character
    return f"\\U{{{ord(character):x}}}"
