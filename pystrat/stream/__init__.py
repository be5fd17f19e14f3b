"""Stratified batches of rows that are streamed from sources; it needs torch, and must be imported explicitly."""

from pystrat.stream.counting import count_sources
from pystrat.stream.dataset import StratifiedStream
from pystrat.stream.formats import read_csv, read_json_lines
from pystrat.stream.reading import SourceError

__all__ = ["SourceError", "StratifiedStream", "count_sources", "read_csv", "read_json_lines"]
