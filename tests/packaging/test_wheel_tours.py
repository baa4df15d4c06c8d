"""The README's tour and the site's first page, typed by somebody who has the wheel alone, on each Python that is there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.reader import Reader, blocks
from tests.packaging.test_wheel import Bare
from tests.support.interpreters import makes_environments, pythons_that

pytestmark = pytest.mark.slow
VERSIONS = ("3.11", "3.12", "3.13", "3.14")

# Runs one block after the other in the same names, as a person types them.
TYPED = """\
import json, os, sys
names = {}
for line in sys.stdin:
    given = json.loads(line)
    os.environ.update(given["env"])
    exec(compile(given["text"], "page", "exec"), names)
    print(chr(0), flush=True)
if "client" in names:
    names["client"].close()
"""


class WheelReader(Reader):
    """A reader with an environment of their own."""

    def __init__(self, folder: Path, bare: Bare) -> None:
        super().__init__(folder)
        self.env = {name: value for name, value in self.env.items() if not name.startswith("PYTHON")}
        self.env["PATH"] = f"{bare.python.parent}{os.pathsep}{os.environ['PATH']}"
        self.typed = subprocess.Popen(
            [bare.python, "-u", "-c", TYPED], cwd=folder, env=self.env, stdin=-1, stdout=-1, text=True
        )

    def python(self, text: str) -> None:
        assert self.typed.stdin is not None
        assert self.typed.stdout is not None
        self.typed.stdin.write(json.dumps({"text": text, "env": self.env}) + "\n")
        self.typed.stdin.flush()
        for line in self.typed.stdout:
            if line.startswith("\0"):
                return
            self.shown += line
        raise AssertionError(text)

    def leave(self) -> None:
        self.typed.communicate(timeout=600)
        assert self.typed.returncode == 0
        super().leave()


@pytest.fixture(
    scope="module", params=[VERSIONS[0], *(pytest.param(one, marks=pytest.mark.full) for one in VERSIONS[1:])]
)
def bare(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bare:
    found = [path for name, path in pythons_that(makes_environments).items() if f" {request.param}." in name]
    if not found:
        pytest.skip(f"there is no Python {request.param} that makes environments")
    return Bare.once(tmp_path_factory, "[sandbox]", found[0])


@pytest.fixture
def reader(bare: Bare, tmp_path: Path) -> Iterator[WheelReader]:
    reader = WheelReader(tmp_path, bare)
    yield reader
    reader.leave()


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_everything_that_the_page_shows_works(page: str, reader: WheelReader) -> None:
    for language, text in blocks(page):
        reader.follow(language, text)
    assert "REFUND_PENDING" in reader.shown
    if page == "docs/start.md":
        assert reader.received(" -> handled (200)")
