"""Running programs: their output goes to a log; its end is shown only after a failure."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Iterable, Optional

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "set-up"


class SetUpError(Exception):
    """Set-up cannot continue; the message says why and what to do."""


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


def run(
    command: list[str],
    log: str,
    *,
    environment: Optional[dict[str, str]] = None,
    watch: Optional[Callable[[str], None]] = None,
) -> bool:
    """Run a command in the project's folder, write its output to a log, and return whether it succeeded.

    `watch` is called with every line; after a failure the last 30 lines are printed.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log}.log"
    with path.open("w", encoding="utf-8") as file, subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        close_fds=False,  # the command keeps holding the lock, even if set-up itself is killed
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            file.flush()
            if watch is not None:
                watch(line.rstrip("\n"))
    if process.returncode != 0:
        print("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[-30:]), end="")
        say(f"{command[0]} failed; all that it printed is in {path.relative_to(ROOT)}")
    return process.returncode == 0


def printed_by(*command: str) -> str:
    """Return the output of a command; nothing if it fails or does not exist."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout if done.returncode == 0 else ""


def checksum(paths: Iterable[Path], *more: str) -> str:
    """Return a digest of files, including their names, and of texts."""
    digest = hashlib.sha256("\0".join(more).encode())
    for path in sorted(paths):
        digest.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Stamp:
    """A file that records the inputs of a finished step, so that the step is skipped until they change."""

    def __init__(self, path: Path, inputs: str) -> None:
        self._path = path
        self._inputs = inputs

    def is_valid(self) -> bool:
        return self._path.is_file() and self._path.read_text() == self._inputs

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)

    def write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self._inputs)
