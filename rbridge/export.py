"""Export of a Python sampler as an R script that makes the same sampler without Python."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Union

from pystrat import __version__
from pystrat.core.base import BatchSampler
from pystrat.core.messages import refused_type, refused_value, show
from pystrat.core.recipe import recipe_bytes
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
        ends in ``.recipe``: vectors without code. The two files can be moved together.

    Returns
    -------
    pathlib.Path
        The path of the script. In R, ``source(script)$value`` is the generator, as `as_torch_sampler` returns it.
    """
    recipe = native_recipe(sampler)
    if recipe is None:
        raise refused_type("sampler", "be a sampler of pystrat", show(sampler))
    script = Path(path)
    if script.suffix != ".R":
        raise refused_value("path", "end in .R", show(str(script)))
    data = script.with_suffix(".recipe")
    content = recipe_bytes(recipe)
    checksum = hashlib.md5(content).hexdigest()
    text = _TEMPLATE.format(version=__version__, file=_literal(data.name), checksum=checksum)
    data.write_bytes(content)
    script.write_text(text, encoding="ascii")
    return script


def _literal(text: str) -> str:
    """Return text as an R literal in ASCII, independent of the locale of the R session."""
    is_plain = (character.isascii() and character.isprintable() and character not in '"\\' for character in text)
    shown = (c if plain else f"\\U{{{ord(c):x}}}" for c, plain in zip(text, is_plain))
    return f'"{"".join(shown)}"'
