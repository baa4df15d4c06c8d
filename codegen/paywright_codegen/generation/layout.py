"""Lay out the files of a contract canonically."""

from __future__ import annotations

from pathlib import Path

from paywright_codegen.reader.loader import kinds_of, read_documents
from paywright_codegen.reader.printer import print_document


def laid_out(folder: Path) -> dict[Path, str]:
    """Return the text of every file of a contract in its canonical layout, by path.

    Raises ContractProblems if a file cannot be read.
    """
    documents = read_documents(folder)
    kinds = kinds_of(documents)
    return {folder / Path(document.file).name: print_document(document, kinds) for document in documents}
