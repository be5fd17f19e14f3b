"""Adds to the theme what Debian's package of it lacks.

Upstream builds Furo's style sheet and script with tools that Debian's package does without. There the script imports a
file in a way that browsers refuse in a plain script, the style sheet imports a file from the root of the server, and
dark colors follow the button alone, not the setting of the system. With upstream's package nothing is changed.
"""

from __future__ import annotations

import re
from pathlib import Path


def mend_theme(site: Path) -> None:
    script = site / "_static" / "scripts" / "furo.js"
    script.write_text(with_import(script.read_text(encoding="utf-8"), script.parent), encoding="utf-8")
    style = site / "_static" / "styles" / "furo.css"
    style.write_text(with_dark_colors(style.read_text(encoding="utf-8")), encoding="utf-8")


def mend_titles(site: Path) -> None:
    """Let the name of a class break before its capitals, so that a title is not wider than a phone."""
    for path in site.glob("python/*.html"):
        text = path.read_text(encoding="utf-8")
        title = re.sub(r"<h1>(\w+)", lambda match: "<h1>" + re.sub(r"(?<=[a-z])(?=[A-Z])", "<wbr>", match[1]), text)
        path.write_text(title, encoding="utf-8")


def with_import(script: str, folder: Path) -> str:
    """Put an imported script in place of the statement that imports it; it defines the name as a global one."""

    def imported(match: re.Match[str]) -> str:
        return (folder / match[1]).read_text(encoding="utf-8")

    return re.sub(r'^import \w+ from "\./(.*)";$', imported, script, flags=re.MULTILINE)


def with_dark_colors(style: str) -> str:
    """Repeat the dark colors for a system that is set to dark, unless the style sheet has such a rule."""
    style = re.sub(r"^@import url\(/.*\);$", "body { margin: 0; }", style, flags=re.MULTILINE)
    if "prefers-color-scheme" in style:
        return style
    dark = re.findall(r'body\[data-theme="dark"\] (\{[^}]*--color-[^}]*\})', style)
    return f'{style}\n@media (prefers-color-scheme: dark) {{ body[data-theme="auto"] {dark[0]} }}\n'
