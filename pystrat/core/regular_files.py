"""Files are read only if they are regular: opening a FIFO may block forever, and a device may have no end."""

from __future__ import annotations

import os
import stat
from typing import Union

from pystrat.core.messages import refused_value

PathLike = Union[str, "os.PathLike[str]"]


def kind_of(status: os.stat_result) -> str:
    """Return the kind of file at a path, for messages."""
    kinds = {stat.S_IFREG: "regular file", stat.S_IFDIR: "folder", stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket"}
    return kinds.get(stat.S_IFMT(status.st_mode), "device")


def check_regular(path: PathLike, parameter: str) -> None:
    """Refuse a path that leads to anything but a regular file; OSError if it leads nowhere."""
    kind = kind_of(os.stat(path))
    if kind != "regular file":
        raise refused_value(parameter, "be a regular file", f"the {kind} '{os.fspath(path)}'")
