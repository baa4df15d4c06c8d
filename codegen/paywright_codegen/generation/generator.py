"""Generate the package: render every file, format it with black, then write what changed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path

from paywright_codegen.generation.places import PLACES, places_text
from paywright_codegen.generation.writing import (
    Project,
    WrittenFiles,
    alone,
    bring_up_to_date,
    existing_files,
    refuse_foreign,
    write_file,
)
from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import kinds_of, read_documents
from paywright_codegen.reader.printer import print_document

LINE_LENGTH = 120
_KEPT_SECONDS = 30 * 24 * 3600
"""Seconds that the cache keeps a file: what is still generated then is formatted once more."""


def format_files(files: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """Format the files with black. A file whose unformatted text is in the cache is not formatted again."""
    made_by = f"{version('black')} {LINE_LENGTH}\n"
    if cache is not None:
        _forget_old(cache)
    return {path: _cached(text, made_by, cache) if path.endswith(".py") else text for path, text in files.items()}


def _forget_old(cache: Path) -> None:
    oldest = time.time() - _KEPT_SECONDS
    with suppress(OSError):  # there is none yet, or another run was faster
        for entry in os.scandir(cache):
            if entry.stat().st_mtime < oldest:
                os.unlink(entry)


def _cached(text: str, made_by: str, cache: Path | None) -> str:
    if cache is None:
        return black_text(text)
    remembered = cache / hashlib.sha256(f"{made_by}{text}".encode()).hexdigest()
    with suppress(OSError, UnicodeDecodeError):
        return remembered.read_text(encoding="utf-8")
    formatted = black_text(text)
    with suppress(OSError):  # a folder that cannot be written to costs time, nothing else
        write_file(remembered, formatted)
    return formatted


def black_text(text: str) -> str:
    """Format a Python file."""
    import black
    import black.mode

    mode = black.Mode(target_versions={black.mode.TargetVersion.PY311}, line_length=LINE_LENGTH)
    return black.format_str(text, mode=mode)


_MAIN = """\
\"\"\"`python -m paywright`: the command line, which stands above this package, and is found by its name.\"\"\"

# Generated from the contract by `paywright contract generate`; never edited by hand.

from runpy import run_module

if __name__ == "__main__":
    run_module("paywright_cli", run_name="__main__")
"""


def render(project: Project, contract: Contract) -> dict[str, str]:
    """Return every file of the package by its path, unformatted."""
    from paywright_codegen.documents.files import render_documents
    from paywright_codegen.render.renderer import render_python

    files = {one.path: one.text for one in render_python(contract, project.package)}
    files.update(render_documents(contract, project.package))
    root = "/".join(project.package.split("."))
    if project.manifest:  # the package of another gateway is complete as it is written: no build adds to it
        files[f"{root}/{PLACES}"] = places_text(contract)
    else:  # `python -m paywright` is the command line; another gateway's package has none
        files[f"{root}/__main__.py"] = _MAIN
    return dict(sorted(files.items()))


def generate(project: Project, contract: Contract) -> WrittenFiles:
    """Bring the package up to date. Nothing is written before everything is rendered and formatted.

    Raises `ForeignFile` if the package has a manifest, and something in its folder was not generated.
    """
    files = format_files(render(project, contract), project.cache)
    with alone(project):
        if project.manifest:
            refuse_foreign(project.out, project.package)
        return bring_up_to_date(project, files)


def check(project: Project, contract: Contract) -> str:
    """Return the unified diff between the package on disk and the contract; "" if they agree. The cache is not used."""
    files = format_files(render(project, contract), None)
    existing = existing_files(project)
    diff: list[str] = []
    for path in sorted({*files, *existing}):
        # Compare bytes, so that different line endings show.
        old = existing[path].read_bytes().decode(errors="replace").replace("\r", "\\r") if path in existing else ""
        new = files.get(path, "")
        diff += unified_diff(old.splitlines(True), new.splitlines(True), f"{path} (committed)", f"{path} (contract)")
    return "".join(line if line.endswith("\n") else line + "\n" for line in diff)


def laid_out(folder: Path) -> dict[Path, str]:
    """Return the text of every file of a contract in its canonical layout, by path.

    Raises ContractProblems if a file cannot be read.
    """
    documents = read_documents(folder)
    kinds = kinds_of(documents)
    return {folder / Path(document.file).name: print_document(document, kinds) for document in documents}
