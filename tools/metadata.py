"""Copies who maintains the project, and where it is, from CITATION.cff to the packages of both languages.

    python tools/metadata.py            write DESCRIPTION, the links to guides of R's help pages, and pyproject.toml
    python tools/metadata.py --check    write nothing; the exit status is 1 if a file says something else

``authors``, ``contact``, ``repository-code`` and ``url`` are fields of the citation file format. The last three may be
missing.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
Citation = dict[str, Any]
# R builds no package without a maintainer who has an address.
NOBODY = "maintainer@example.org"


def main(arguments: list[str]) -> int:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    stale = []
    for name, update in UPDATES.items():
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = update(before, citation)
        if after == before:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(after, encoding="utf-8", newline="\n")
    if stale and "--check" in arguments:
        print(f"{' and '.join(stale)} differ from CITATION.cff: run `make document`")
        return 1
    return 0


def links(citation: Citation) -> dict[str, str]:
    """Return the pages of the project, by the names that PyPI shows."""
    repository = str(citation.get("repository-code", "")).rstrip("/")
    pages = {
        "Homepage": citation.get("url"),
        "Source": repository,
        "Issues": repository and f"{repository}/issues",
    }
    return {name: str(page) for name, page in pages.items() if page}


def full_name(person: Citation) -> str:
    return str(person.get("name") or f"{person['given-names']} {person['family-names']}")


def people(citation: Citation) -> list[tuple[Citation, tuple[str, ...]]]:
    """Return everyone with the roles that R knows; the first contact maintains the package."""
    contact = citation.get("contact", [])[:1]
    found: list[tuple[Citation, tuple[str, ...]]] = []
    for author in citation["authors"]:
        same = [person for person in contact if full_name(person) == full_name(author)]
        found.append(({**author, **same[0]}, ("aut", "cre")) if same else (author, ("aut",)))
    if not any("cre" in roles for _, roles in found):
        found += [(person, ("cre",)) for person in contact]
    return found


def r_person(person: Citation, roles: tuple[str, ...]) -> str:
    names = [person["name"]] if "name" in person else [person["given-names"], person["family-names"]]
    parts = [f'"{name}"' for name in names]
    parts.append(f'role = "{roles[0]}"' if len(roles) == 1 else 'role = c("aut", "cre")')
    if "email" in person:
        parts.append(f'email = "{person["email"]}"')
    if "orcid" in person:
        parts.append(f'comment = c(ORCID = "{person["orcid"].rpartition("/")[2]}")')
    return f"person({', '.join(parts)})"


def update_description(text: str, citation: Citation) -> str:
    """Set the fields of a DESCRIPTION file that say who and where."""
    author = citation["authors"][0]
    in_r = citation if "contact" in citation else {**citation, "contact": [{**author, "email": NOBODY}]}
    persons = [r_person(*entry) for entry in people(in_r)]
    pages = links(citation)
    text = set_field(text, "Authors@R", "c(\n    {})".format(",\n    ".join(persons)), after="Version")
    text = set_field(text, "URL", ", ".join(pages[name] for name in ("Homepage", "Source") if name in pages))
    return set_field(text, "BugReports", pages.get("Issues", ""), after="URL" if "URL:" in text else "License")


def update_guides(text: str, citation: Citation) -> str:
    """Set what R's help pages show for `\\guide{NAME}`: a link to the guide, or its path if no page is known."""
    source = links(citation).get("Source")
    path = r"\code{docs/#1.md}"
    linked = rf"\href{{{source}/blob/HEAD/docs/#1.md}}{{{path}}}"
    guide = linked if source else f"{path} in the repository of the project"
    return replace_once(text, r"^\\newcommand\{\\guide\}.*$", rf"\newcommand{{\guide}}{{{guide}}}")


def set_field(text: str, name: str, value: str, after: str = "License") -> str:
    """Replace a field, or add it after another one; without a value, remove it."""
    text = re.sub(rf"^{name}:.*\n(?:[ \t].*\n)*", "", text, flags=re.MULTILINE)
    if not value:
        return text
    changed, n_changed = re.subn(
        rf"^({after}:.*\n(?:[ \t].*\n)*)", lambda field: str(field[1]) + f"{name}: {value}\n", text, flags=re.MULTILINE
    )
    assert n_changed == 1, f"{after} is not in the file"
    return changed


def update_pyproject(text: str, citation: Citation) -> str:
    """Set the lines of pyproject.toml that say who and where."""

    def listed(persons: list[Citation]) -> str:
        entries = []
        for person in persons:
            email = f', email = "{person["email"]}"' if "email" in person else ""
            entries.append(f'{{ name = "{full_name(person)}"{email} }}')
        return f"[{', '.join(entries)}]"

    everyone = people(citation)
    authors = [person for person, roles in everyone if "aut" in roles]
    maintainers = [person for person, roles in everyone if "cre" in roles]
    pages = "".join(f'{name} = "{page}"\n' for name, page in links(citation).items())
    text = replace_once(text, r"^authors = .*$", f"authors = {listed(authors)}")
    text = replace_once(text, r"^maintainers = .*$", f"maintainers = {listed(maintainers)}")
    return replace_once(text, r"^\[project\.urls\]\n(?:\w+ = .*\n)*", f"[project.urls]\n{pages}")


def replace_once(text: str, pattern: str, replacement: str) -> str:
    changed, n_changed = re.subn(pattern, lambda _: replacement, text, flags=re.MULTILINE)
    assert n_changed == 1, f"{pattern} occurs {n_changed} times"
    return changed


UPDATES = {
    "rbridge/r/DESCRIPTION": update_description,
    "rbridge/r/man/macros/guides.Rd": update_guides,
    "pyproject.toml": update_pyproject,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
