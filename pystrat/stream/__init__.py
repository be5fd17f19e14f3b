"""Rows that come as a stream of sources, such as files: batches with the promise, without all labels in advance.

This room needs torch, and is imported only by name.
"""

from pystrat.stream.counting import count_sources
from pystrat.stream.dataset import StratifiedStream
from pystrat.stream.reading import SourceError, read_csv, read_json_lines

__all__ = ["SourceError", "StratifiedStream", "count_sources", "read_csv", "read_json_lines"]
