"""Tables by epoch: what applies from certain epochs on."""

from __future__ import annotations

import numbers
from typing import Any, Mapping

from pystrat.core.limits import MAX_EPOCH
from pystrat.core.messages import is_number, refused_type, refused_value, show


def read_epoch_table(table: Any, name: str, *, noun: str, entry: str) -> dict[int, Any]:
    """Return a table by the first epoch in which an entry applies, sorted; `noun` and `entry` are for messages."""
    table = table if isinstance(table, Mapping) else {0: table}
    for epoch in table:
        if not (is_number(epoch) and isinstance(epoch, numbers.Integral) and 0 <= int(epoch) <= MAX_EPOCH):
            required = f"be a table from epochs, integers from 0 to {MAX_EPOCH}, to {entry}"
            raise refused_type(name, required, f"the epoch {show(epoch)}")
    if 0 not in table:
        got = f"a table from epoch {min(table)} on" if table else "an empty table"
        raise refused_value(name, f"have {noun} from epoch 0 on", got)
    return {int(epoch): table[epoch] for epoch in sorted(table)}
