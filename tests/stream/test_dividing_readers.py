"""A reader returns all rows of its source in every worker: the stream has divided the sources already."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import DataLoader, get_worker_info

from pystrat.stream import StratifiedStream, count_sources
from tests.training_libraries import installed

SOURCES = {name: [[name, row, row % 5 == 0] for row in range(40)] for name in "abcd"}
DOCUMENT = Path(__file__).parents[2] / "docs" / "streams.md"


def divided(rows: Any) -> Any:
    """Read the part of a worker, as webdataset and streaming datasets of Hugging Face do."""
    info: Any = get_worker_info()  # type: ignore[no-untyped-call]
    return rows if info is None else rows[info.id :: info.num_workers]


@pytest.mark.parametrize("shuffle", [True, False])
def test_counts_reveal_a_reader_that_divides_rows_among_workers(shuffle: bool) -> None:
    counts = count_sources(SOURCES, read=divided, stratum=2)
    given: dict[str, Any] = {"counts": counts, "stratum": 2, "lanes": 2, "shuffle": shuffle, "seed": 1}
    stream = StratifiedStream(SOURCES, 1, read=divided, **given)
    loader = DataLoader(stream, batch_size=None, collate_fn=list, num_workers=2)
    with pytest.raises(RuntimeError, match="The reader must not divide the rows among the workers."):
        list(loader)


def write_tar(path: Path, rows: range) -> None:
    with tarfile.open(path, "w") as archive:
        for row in rows:
            text = str(int(row % 5 == 0)).encode()
            entry = tarfile.TarInfo(f"{row:04d}.cls")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))


@installed("webdataset")
@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")  # it closes none
@pytest.mark.parametrize("workers", [0, 2])
def test_the_reader_of_tar_archives(workers: int, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    (code,) = re.findall(r"```text\n(import webdataset.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(code, names)
    paths = [str(tmp_path / f"{part}.tar") for part in range(4)]
    for part, path in enumerate(paths):
        write_tar(Path(path), range(40 * part, 40 * part + 40))
    given: dict[str, Any] = {"read": names["read_tar"], "stratum": "cls"}
    counts = count_sources(paths, **given)
    stream = StratifiedStream(paths, 2, counts=counts, lanes=2, seed=1, **given)
    options: dict[str, Any] = {"multiprocessing_context": "fork"} if workers else {}
    loader = DataLoader(stream, batch_size=None, collate_fn=list, num_workers=workers, **options)
    rows = [int(row["__key__"]) for batch in loader for row in batch]
    assert sorted(rows) == list(range(160))
