"""Writes the prose of Python files, which is their docstrings and comments, for the spelling check.

    python tools/prose.py FOLDER FILE ...

Each file becomes a text file of the same name in FOLDER, with its prose on the same lines.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from pathlib import Path

# What is not English: code in backticks, sessions, parameters with their types, and names in the midst of a sentence.
CODE = re.compile(
    r"""
    ``.*?`` | `[^`\n]*`
    | ^[ \t]*(?:>>>|\.\.\.)\s.*$
    | ^[ \t]*\**\w+(?:,\s\**\w+)*\s:\s.*$
    | \S*(?:[\d_=\\/@|]|\w\.\w|[a-z][A-Z]|\w\()\S*
    """,
    flags=re.MULTILINE | re.VERBOSE,
)


def prose_of(source: str) -> str:
    """Return the docstrings and comments of a module, each on its own line, and empty lines between them."""
    lines = [""] * (source.count("\n") + 2)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            docstring = ast.get_docstring(node, clean=False)
            if docstring is not None:
                first = node.body[0].lineno - 1
                lines[first : first + docstring.count("\n") + 1] = docstring.split("\n")
    for token in tokenize.generate_tokens(iter(source.splitlines(keepends=True)).__next__):
        if token.type == tokenize.COMMENT and not re.match(r"# (?:type|noqa|fmt|cython)\b", token.string):
            lines[token.start[0] - 1] = token.string.lstrip("# ")
    return CODE.sub(" ", "\n".join(lines))


def main(folder: str, *files: str) -> None:
    for file in files:
        target = Path(folder, file).with_suffix(".py.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(prose_of(Path(file).read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
