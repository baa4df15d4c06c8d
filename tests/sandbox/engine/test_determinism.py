"""The same seed, keys, clock and inputs give the same bytes: under every hash seed, on every Python from 3.11 on, whoever
of two merchants' servers is faster."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.sandbox.helpers.scenario import digests
from tests.support.contract import TOP
from tests.support.interpreters import NEEDED, pythons_that

SCRIPT = TOP / "tests" / "sandbox" / "helpers" / "scenario.py"
PATHS = os.pathsep.join(str(TOP / folder) for folder in (".", "generated", "runtime", "sandbox"))


def played(python: str | Path, folder: Path, *, seed: str = "0") -> list[str]:
    done = subprocess.run(
        [str(python), str(SCRIPT), str(folder)], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": PATHS, "PYTHONHASHSEED": seed},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def all_alike(found: Mapping[str, list[str]]) -> None:
    (first, lines), *others = found.items()
    assert len(lines) > 200
    for name, other in others:
        pairs = zip(lines, other, strict=False)
        differ = [f"message {number}: {one} / {two}" for number, (one, two) in enumerate(pairs) if one != two]
        assert not differ, (first, name, differ[:5])
        assert len(lines) == len(other), (first, name)


@cache
def has_needs(python: Path) -> bool:
    done = subprocess.run([str(python), "-c", NEEDED], capture_output=True, timeout=600)
    return done.returncode == 0


@pytest.mark.slow
def test_every_hash_seed_gives_the_same_bytes(made_once: Path) -> None:
    found = {seed: played(sys.executable, made_once, seed=seed) for seed in ("0", "1", "31337")}
    all_alike({**found, "in this process": digests(made_once)})


@pytest.mark.slow
def test_another_seed_of_the_sandbox_gives_other_bytes(made_once: Path, folder: Path) -> None:
    file = folder / "sandbox.toml"
    file.write_text(file.read_text("utf-8").replace('seed = "1"', 'seed = "2"'), "utf-8")
    one, other = digests(made_once), digests(folder)
    assert sum(first == second for first, second in zip(one, other, strict=False)) < len(one) / 2


@pytest.mark.slow
def test_every_equipped_python_is_alike(made_once: Path, record_property: Callable[[str, object], None]) -> None:
    ready = pythons_that(has_needs)
    record_property("note: the sandbox answered alike on", ", ".join(sorted(ready)))
    all_alike({name: played(path, made_once) for name, path in ready.items()})
