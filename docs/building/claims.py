"""Run the rows of docs/claims.md, and say which command ends otherwise: `make claims`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["claims", "holds", "main"]

_ROW = re.compile(r"^\| (.+) \| `(.+)` \| `(.*)` \|$", re.MULTILINE)


def claims(page: str) -> Iterator[tuple[str, str, str]]:
    """Yield the claim, the command and what it said, of each row."""
    yield from _ROW.findall(page)


def holds(said: str, code: int, output: str) -> bool:
    """Return whether a command succeeded and said it; numbers may be others."""
    return code == 0 and _unnumbered(said) in _unnumbered(output)


def _unnumbered(text: str) -> str:
    return re.sub(r"[\d,.]*\d", "0", re.sub(r"\x1b\[\d*m", "", text))


def main(page: Path, word: str) -> int:
    """Run the rows that contain a word. Return 1 if one does not hold."""
    ways = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    broken = 0
    for claim, command, said in claims(page.read_text(encoding="utf-8")):
        if word not in claim + command:
            continue
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": ways},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        held = holds(said, done.returncode, done.stdout)
        broken += not held
        last = "\n".join(f"    {line}" for line in done.stdout.splitlines()[-15:])
        print(f"{'ok ' if held else 'NOT'} {command}: {claim}" + ("" if held else f"\n{last}"), flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    raise SystemExit(main(Path("docs/claims.md"), " ".join(sys.argv[1:])))
