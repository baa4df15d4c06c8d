"""The Pythons of this machine, for tests that ask all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

__all__ = ["NEEDED", "makes_environments", "pythons", "pythons_that"]

NEEDED = "import cryptography; assert int(cryptography.__version__.split('.')[0]) >= 42"
"""What a Python must be able to run that is to import the SDK."""


def _candidates() -> Iterator[Path]:
    """Pythons by their usual names, those of version managers, and those that TEST_PYTHONS names."""
    yield Path(sys.executable)
    yield from (Path(one) for one in os.environ.get("TEST_PYTHONS", "").split(os.pathsep) if one)
    names = [f"python3.{minor}" for minor in range(11, 20)]
    yield from (Path(folder) / name for folder in os.get_exec_path() for name in names)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for managed in (pyenv, Path.home() / ".local/share/uv/python"):
        yield from (path for name in names for path in sorted(managed.glob(f"*/bin/{name}")))


def pythons(is_better: Callable[[Path], bool]) -> dict[str, Path]:
    """One Python of every version from 3.11 on that starts, by `cpython 3.12.1`; the first that `is_better` if any is."""
    found: dict[str, Path] = {}
    for path in _candidates():
        if not os.access(path, os.X_OK):
            continue
        try:
            done = subprocess.run(
                [str(path), "-c", "import sys; print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])))"],
                capture_output=True, text=True, timeout=600,
            )  # fmt: skip
        except OSError:
            continue
        name = done.stdout.strip()
        if done.returncode != 0 or int(name.split(".")[1]) < 11:
            continue
        if name not in found or (not is_better(found[name]) and is_better(path)):
            found[name] = path
    return found


def pythons_that(fit: Callable[[Path], bool]) -> dict[str, Path]:
    """One Python of every version of which one fits."""
    return {name: path for name, path in pythons(fit).items() if fit(path)}


@cache
def makes_environments(python: Path) -> bool:
    return subprocess.run([str(python), "-c", "import ensurepip, venv"], capture_output=True).returncode == 0


if __name__ == "__main__":  # for `make test-pythons`: each version, and a Python of it
    for name, found in pythons_that(makes_environments).items():
        print(f"{name.rpartition(' ')[2]}={found}")
