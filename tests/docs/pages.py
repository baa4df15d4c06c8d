"""A page of the documentation and its blocks, and how what stands in them is run."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from tests.support.packages import PACKAGES, TOP

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OTHERS = ("PAYWRIGHT_", "CELERY_", "DJANGO_", "FLASK_")


class Page:
    """A page by its name, such as `paid` for docs/paid.md."""

    def __init__(self, name: str) -> None:
        self.text = (TOP / "docs" / f"{name}.md").read_text(encoding="utf-8")
        self.all = _BLOCK.findall(self.text)

    def blocks(self, language: str = "", containing: str = "") -> list[str]:
        """Return the blocks of a language, "" for those of none."""
        return [text for kind, text in self.all if kind == language and containing in text]

    def block(self, language: str = "", containing: str = "") -> str:
        """Return the one block."""
        (found,) = self.blocks(language, containing)
        return found

    @property
    def files(self) -> dict[str, str]:
        """The blocks of Python that begin with the name of a file, by that name."""
        return {name[1]: text for text in self.blocks("python") if (name := re.match(r"# (\w+[.]py)\n", text))}

    def section(self, heading: str) -> str:
        """Return the text under a heading such as `## Rules`, up to the next one of its level or above."""
        level = heading.index(" ")
        return re.split(rf"^#{{1,{level}}} ", self.text.partition(f"\n{heading}\n")[2], flags=re.MULTILINE)[0]


def environment(*folders: Path, **more: str) -> dict[str, str]:
    """Return the environment of a program that finds the packages, and modules of folders, without settings of others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}
    return {**kept, "PYTHONPATH": os.pathsep.join((*map(str, folders), PACKAGES)), **more}


def python(folder: Path, *arguments: object, env: dict[str, str] | None = None, given: str = "", code: int = 0) -> str:
    """Run a program of Python in a folder, and return what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder, env=env or environment(folder), input=given, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def programs(folder: Path) -> str:
    """Make the programs that a page calls, and return a PATH on which they are."""
    bin_ = folder / "bin"
    bin_.mkdir()
    for name, runs in (("paywright", " -m paywright_cli"), ("python", "")):
        program = bin_ / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{runs} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return f"{bin_}{os.pathsep}{os.environ['PATH']}"


def shell(folder: Path, script: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script that ends well."""
    command = ["sh", "-eu", "-c", script]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done
