"""The nodes of torchdata, as `nodes/adapters.py` and `nodes/loader.py` have them: what they do to states."""

from __future__ import annotations

from typing import Any, Iterator, Optional


class IterableWrapper:
    """A node that saves and loads the state of what it iterates over."""

    def __init__(self, iterable: Any) -> None:
        self.iterable = iterable
        self.iterator: Iterator[Any] = iter(())

    def reset(self, state: Optional[dict[str, Any]] = None) -> None:
        if state is not None:
            self.iterable.load_state_dict(state["iterable"])
        self.iterator = iter(self.iterable)

    def __next__(self) -> Any:
        return next(self.iterator)

    def state_dict(self) -> dict[str, Any]:
        return {"iterable": self.iterable.state_dict()}


class Loader:
    """Iterates over a node; a loaded state waits for the next iter, which looks whether anything is left of it."""

    def __init__(self, root: IterableWrapper) -> None:
        self.root = root
        self.next_state: Optional[dict[str, Any]] = None
        self.cached: Optional[tuple[Any, dict[str, Any]]] = None  # an item, and the state before it

    def __iter__(self) -> "Loader":
        state, self.next_state, self.cached = self.next_state, None, None
        self.root.reset(state)
        if state is not None:
            before = self.state_dict()
            try:
                self.cached = next(self.root), before
            except StopIteration:
                self.root.reset()
        return self

    def __next__(self) -> Any:
        if self.cached is None:
            return next(self.root)
        (item, _), self.cached = self.cached, None
        return item

    def state_dict(self) -> dict[str, Any]:
        return self.root.state_dict() if self.cached is None else self.cached[1]

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.next_state = state
