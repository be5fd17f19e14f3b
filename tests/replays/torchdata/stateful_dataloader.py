"""When a StatefulDataLoader makes an iterator, and which state the iterator gets."""

from __future__ import annotations

from typing import Any, Callable, Optional


class StatefulDataLoader:
    """A loaded state waits for the next iter, and an iterator that is finished is replaced.

    `make` makes an iterator from a state, or from None. The iterator has `finished` and `state_dict`.
    """

    def __init__(self, make: Callable[[Optional[dict[str, Any]]], Any]) -> None:
        self.make = make
        self.iterator: Any = None
        self.next_state: Optional[dict[str, Any]] = None
        self.made_for_state = False

    def make_next(self) -> Any:
        state, self.next_state = self.next_state, None
        return self.make(state)

    def __iter__(self) -> Any:
        if self.iterator is None or not self.made_for_state:
            self.iterator = self.make_next()
        self.made_for_state = False
        if self.iterator.finished:
            self.iterator = self.make_next()
        return self.iterator

    def state_dict(self) -> Any:
        if self.iterator is None:
            self.iterator = self.make_next()
            self.made_for_state = True
        return self.iterator.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.iterator = None
        self.next_state = state


def states_of(sampler: Any, iterator: Any) -> dict[str, Any]:
    """Return what is saved of a batch sampler, if it has a state, and of its iterator."""
    own = sampler.state_dict() if hasattr(sampler, "state_dict") else None
    return {"sampler": own, "iterator": iterator.state_dict()}
