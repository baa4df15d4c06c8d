"""The scripts of findings/ have one form. `make findings` runs them; no test does."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "findings"
SCRIPTS = sorted(FOLDER.glob("*.sh"))
HEADER = ("One would guess:", "What happens:", "Why it matters:", "Known to:")
INSTALL = re.compile(r"^(?:venv/bin/pip|npm) install (?P<what>.*) \|\| exit 2$", re.MULTILINE)
DEBIAN = re.compile(r"^apt-get download -q=2 (?P<what>.*) 2>/dev/null \|\| exit 2$", re.MULTILINE)
PINNED = re.compile(r"[a-z0-9_-]+==[0-9][\w.]*|@?[A-Za-z0-9./-]+@[0-9][\w.]*")


def test_the_table_lists_each_script_once() -> None:
    listed = re.findall(
        r"^\| \[([a-z0-9-]+)\]\(\1\.sh\) \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed == [script.stem for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_says_what_it_is_and_installs_what_is_pinned(script: Path) -> None:
    text = script.read_text(encoding="utf-8").replace(" \\\n ", "")
    header, _, body = text.partition("set -euo pipefail\n")
    assert os.access(script, os.X_OK)
    assert [header.count(part) for part in HEADER] == [1] * len(HEADER)
    assert re.search(r" seen on \d{4}-\d\d-\d\d\.$", header, re.MULTILINE)
    assert body.startswith('folder="$(mktemp -d)"\ntrap \'rm -rf "$folder"\' EXIT\ncd "$folder"\n')
    installs = INSTALL.findall(body)
    packages = [word for install in installs for word in install.split() if not word.startswith("--")]
    assert len(installs) == body.count(" install ")
    debian = [word for download in DEBIAN.findall(body) for word in download.split()]
    assert len(DEBIAN.findall(body)) == body.count("apt-get ")
    assert packages or debian
    assert [package for package in debian if not re.fullmatch(r"[a-z0-9.+-]+=[0-9][\w.:+~-]*", package)] == []
    assert [package for package in packages if not PINNED.fullmatch(package)] == []
    assert "paywright" not in body
