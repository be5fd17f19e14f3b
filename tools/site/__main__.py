"""Builds the site in build/site: guides, vignettes, and the references of Python and of R.

    .venv/bin/python tools/site

1. The sources of the pages are collected in build/site-sources: the documents as they are in the repository, with what
   they link to; the README as the front page; a page for each name of the references.
2. Sphinx makes the site of them. A warning is a failure.
3. Each link of the site that does not leave it must lead somewhere.

It needs neither a built R package nor PyTorch.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from documents import collect_documents
from guides import add_pages_below, front_page, write_guides
from links import broken_links
from reference import write_reference
from theme import mend_theme, mend_titles

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = ROOT / "build" / "site-sources"
CACHE = ROOT / "build" / "site-cache"
SITE = ROOT / "build" / "site"


def main() -> int:
    """Build the site, and return the exit status."""
    for folder in (SOURCES, CACHE, SITE):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    collect_documents(ROOT, SOURCES)
    add_pages_below(ROOT, SOURCES)
    (SOURCES / "index.md").write_text(front_page(ROOT), encoding="utf-8")
    write_reference(ROOT, SOURCES)
    if not sphinx():
        return 1
    mend_theme(SITE)
    mend_titles(SITE)
    write_guides(ROOT, SITE)
    broken = broken_links(SITE)
    print("".join(f"site: {page} links to {link}, which is not there\n" for page, link in broken), end="")
    if not broken:
        print(f"site: open {(SITE / 'index.html').relative_to(ROOT)}")
    return 1 if broken else 0


def sphinx() -> bool:
    options = ["-W", "--keep-going", "-q", "-b", "html", "-c", str(HERE), "-d", str(CACHE / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(SOURCES), str(SITE)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
