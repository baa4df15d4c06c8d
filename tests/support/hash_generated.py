"""Generates in this interpreter and prints a hash of every byte: `python hash_generated.py SPEC [formatted]`."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from paywright_cli.commands.contract_package import project
from paywright_codegen.generation.generator import format_files, render
from paywright_codegen.reader.loader import load


def main(spec: Path, formatted: bool) -> None:
    made = replace(project(Path(__file__).resolve().parents[2]), spec=spec)
    files = render(made, load(spec))
    if formatted:
        files = format_files(files, None)
    whole = hashlib.sha256()
    for path, text in files.items():
        whole.update(f"{path}\0{len(text)}\0".encode() + text.encode())
    print(whole.hexdigest(), len(files))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "formatted" in sys.argv[2:])
