"""Makes the index of the search, with Pagefind, which set-up installs if the machine has npm.

Pagefind ranks pages and shows excerpts. Browsers let it read its index only from a web server: of a page that is opened
as a file, and if Pagefind is not installed, the search is that of Sphinx.
"""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

from guides import guides

PROGRAM = Path("build") / "npm" / "node_modules" / ".bin" / "pagefind"
# Not the changelog, whose entries would hide the pages that they are about.
PAGES = "{index.html,docs/**/*.html,vignettes/*.html,python/*.html,r/*.html,benchmarks/*.html}"


def write_search(root: Path, site: Path) -> None:
    """Add the words of the guides to their pages, where they weigh more than the text, and make the index."""
    if not (root / PROGRAM).exists():
        print("site: Pagefind is not installed, so the search is that of Sphinx")
        return
    words = {site / f"{guide.page}.html": guide.words for guide in guides(root)}
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8").replace('class="headerlink"', 'class="headerlink" data-pagefind-ignore')
        page.write_text(with_words(text, words[page]) if page in words else text, encoding="utf-8")
    options = ["--site", str(site), "--root-selector", "article[role=main]", "--glob", PAGES, "--quiet"]
    subprocess.run([str(root / PROGRAM), *options], cwd=root, check=True)


def with_words(page: str, words: str) -> str:
    """Add hidden words after the title of a page."""
    return re.sub(
        "</h1>", lambda match: f'</h1>\n<p hidden data-pagefind-weight="8">{html.escape(words)}</p>', page, count=1
    )
