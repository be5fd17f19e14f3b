"""A text that changes while it is read: either the lines are right, or an error is raised."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from torch.utils.data import DataLoader

from pystrat.corpus import CorpusDataset, CorpusMixtureBatchSampler
from pystrat.corpus.line_file import LineFile

CHANGED = "text.txt has changed since its lines were found .* Make the sampler and the dataset anew."
N_LINES = 200


def content(letter: str, shift: int = 0) -> bytes:
    """Lines whose number is in each of their words; other shifts have them elsewhere, in as many bytes."""
    lines = b"".join(f"{letter}{number} ".encode() * (1 + number % 5) + b"\n" for number in range(N_LINES))
    return lines[shift:] + lines[:shift]


def rewrite(path: Path) -> None:
    """Write other lines into the file, of the same size in all."""
    with open(path, "r+b") as text:
        text.write(content("b", shift=5))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def replace(path: Path) -> None:
    """Rename another file into its place; it stays below another name, as a backup does."""
    aside = path.with_name("aside")
    aside.write_bytes(content("b", shift=5))
    os.utime(aside, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    os.link(path, path.with_name("backup"))
    os.replace(aside, path)


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replace_by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES = [rewrite, truncate, replace, move, replace_by_fifo]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_bytes(content("a"))
    os.utime(path, ns=(0, 10**18))  # long ago, so that every later change has another time
    return path


def expected(number: int) -> str:
    return f"a{number} " * (1 + number % 5)


def dataset_of(path: Path, **options: Any) -> CorpusDataset:
    return CorpusDataset([path], [".txt"], **options)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "read",
    [
        lambda dataset: dataset[0],
        lambda dataset: dataset.lines(0),
        lambda dataset: dataset.__getitems__([0, 5, 3]),
        lambda dataset: dataset.files[0].sides[0].line(0),
        lambda dataset: list(dataset),
    ],
)
def test_no_line_of_a_file_that_has_changed(
    change: Callable[[Path], None], read: Callable[[CorpusDataset], Any], path: Path
) -> None:
    seen: list[Any] = []
    dataset = dataset_of(path, transform=lambda lines: seen.append(lines))
    read(dataset)
    seen.clear()
    change(path)
    for _ in range(2):  # the error stays
        with pytest.raises(RuntimeError, match=CHANGED):
            read(dataset)
    assert not seen
    dataset.files[0].sides[0].close()  # also where the file has to be opened again
    with pytest.raises(RuntimeError, match=CHANGED):
        read(dataset)


@pytest.mark.parametrize("change", CHANGES)
def test_an_epoch_of_a_mixture(change: Callable[[Path], None], path: Path) -> None:
    mixture = CorpusMixtureBatchSampler([path], 10, suffixes=[".txt"], sample=100, seed=1)
    batches = iter(mixture)
    next(batches)
    change(path)
    next(batches)  # the epoch goes on, and its lines cannot be read
    with pytest.raises(RuntimeError, match=CHANGED):
        next(iter(mixture))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("n_workers", [0, 2])
def test_a_later_epoch_without_a_mixture(change: Callable[[Path], None], n_workers: int, path: Path) -> None:
    dataset: Any = dataset_of(path)
    loader: Any = DataLoader(
        dataset, batch_size=10, num_workers=n_workers, persistent_workers=n_workers > 0, collate_fn=list
    )
    assert [item for batch in loader for item in batch] == [(expected(number),) for number in range(N_LINES)]
    change(path)
    with pytest.raises(RuntimeError, match=CHANGED):
        list(loader)


@pytest.mark.parametrize("change", [rewrite, truncate, replace, replace_by_fifo])
def test_a_pickled_dataset(change: Callable[[Path], None], path: Path) -> None:
    pickled = pickle.dumps(dataset_of(path))
    change(path)
    with pytest.raises(RuntimeError, match=CHANGED):
        pickle.loads(pickled)


def test_lines_that_are_no_text_any_more(path: Path) -> None:
    dataset = dataset_of(path)
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(RuntimeError, match=CHANGED):
        dataset[0]


def test_a_batch_that_a_change_cuts_in_two(path: Path) -> None:
    """The file is rewritten in place while threads read it: each line that they get is one that was indexed."""
    everything = list(range(N_LINES))
    right = [(expected(number),) for number in everything]
    errors: list[str] = []
    wrong: list[Any] = []

    def read(dataset: CorpusDataset, start: threading.Barrier, rewritten: threading.Event) -> None:
        start.wait()
        is_last = False
        try:
            while not is_last:  # a reading that begins after the change sees it at the latest
                is_last = rewritten.is_set()
                found = dataset.__getitems__(everything)
                if found != right:
                    wrong.append(found)
        except RuntimeError as error:
            errors.append(str(error))

    for _ in range(20):
        path.write_bytes(content("a"))
        os.utime(path, ns=(0, 10**18))
        dataset, start, rewritten = dataset_of(path), threading.Barrier(4), threading.Event()
        threads = [threading.Thread(target=read, args=(dataset, start, rewritten)) for _ in range(3)]
        for thread in threads:
            thread.start()
        start.wait()
        rewrite(path)
        rewritten.set()
        for thread in threads:
            thread.join()
    assert not wrong and len(errors) == 60 and all("has changed" in error for error in errors)


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads change places as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_that_read_a_file_while_another_one_closes_it(path: Path, switching: None) -> None:
    """What is read comes from this file, also where its descriptor's number goes to another one at once."""
    other = path.with_name("other.txt")
    other.write_bytes(content("b"))
    before = len(os.listdir("/proc/self/fd"))
    file = LineFile(path)
    failures: list[Any] = []
    done = threading.Event()

    def read() -> None:
        try:
            for place in range(4000):
                if file.line(place % N_LINES) != expected(place % N_LINES):
                    failures.append(place)
        except BaseException as error:
            failures.append(error)

    def close() -> None:
        while not done.is_set():
            file.close()
            with open(other, "rb"):
                pass

    readers = [threading.Thread(target=read) for _ in range(4)]
    closer = threading.Thread(target=close)
    for thread in [*readers, closer]:
        thread.start()
    for thread in readers:
        thread.join()
    done.set()
    closer.join()
    file.close()
    assert not failures and len(os.listdir("/proc/self/fd")) == before


def test_a_child_process_opens_the_file_for_itself(path: Path) -> None:
    file = LineFile(path)
    file.line(0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            parents = len(os.listdir("/proc/self/fd"))
            status = 0 if file.line(7) == expected(7) and len(os.listdir("/proc/self/fd")) == parents else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert file.line(7) == expected(7)


def test_a_batch_comes_in_the_order_of_its_positions(tmp_path: Path) -> None:
    for name in "ab":
        for suffix in (".src", ".tgt"):
            (tmp_path / f"{name}{suffix}").write_text("".join(f"{name}{number}{suffix}\n" for number in range(3)))
    dataset = CorpusDataset(tmp_path, transform=lambda pair: "|".join(pair))
    assert dataset.__getitems__([5, 0, 4, 0]) == ["b2.src|b2.tgt", "a0.src|a0.tgt", "b1.src|b1.tgt", "a0.src|a0.tgt"]
    assert dataset.__getitems__([]) == []
    with pytest.raises(IndexError):
        dataset.__getitems__([0, 6])
