"""The same contract gives the same bytes: under every hash seed and on every Python of this machine from 3.11 on."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from paywright_cli.commands.contract_package import project
from paywright_codegen.generation.generator import format_files, render
from tests.support.contract import TOP, contract
from tests.support.interpreters import pythons
from tests.support.packages import PACKAGES
from tests.support.tiny import SPEC as TINY

SCRIPT = TOP / "tests" / "support" / "hash_generated.py"
EXTRAS = ("pyyaml", "jinja2", "black==26.10.1", "cryptography")
PROBE = "import sys, yaml, jinja2, black; print(sys.implementation.name, *sys.version_info[:3], black.__version__)"


def hashed(python: str | Path, spec: Path, *, seed: str = "0", formatted: bool = False) -> str:
    done = subprocess.run(
        [str(python), str(SCRIPT), str(spec), *(["format_files"] if formatted else [])],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": PACKAGES, "PYTHONHASHSEED": seed},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("spec", [TOP / "spec", TINY], ids=["gateway", "tiny"])
def test_three_hash_seeds_give_the_same_bytes(spec: Path) -> None:
    formatted = spec == TINY
    found = {seed: hashed(sys.executable, spec, seed=seed, formatted=formatted) for seed in ("0", "1", "31337")}
    assert len(set(found.values())) == 1, found


@pytest.mark.full
def test_three_hash_seeds_give_the_same_formatted_bytes() -> None:
    found = {seed: hashed(sys.executable, TOP / "spec", seed=seed, formatted=True) for seed in ("0", "1", "31337")}
    assert len(set(found.values())) == 1, found


@cache
def interpreters() -> dict[str, Path]:
    """One Python of every version; of two, the one that has what the generator needs."""
    return pythons(has_extras)


@cache
def has_extras(python: Path) -> bool:
    done = subprocess.run([str(python), "-c", PROBE], capture_output=True, text=True, timeout=600)
    return done.returncode == 0 and done.stdout.split()[-1] == "26.10.1"


@pytest.mark.slow
def test_every_python_that_has_the_extras_gives_the_same_bytes(record_property: Callable[[str, object], None]) -> None:
    ready = {name: path for name, path in interpreters().items() if has_extras(path)}
    found = {name: (hashed(path, TOP / "spec"), hashed(path, TINY, formatted=True)) for name, path in ready.items()}
    record_property("note: generated alike on", ", ".join(sorted(found)))
    lacking = sorted(interpreters().keys() - ready.keys())
    if lacking:
        record_property("note: found, without the codegen extras (see the full tests)", ", ".join(lacking))
    assert len(set(found.values())) == 1, found


@pytest.mark.full
def test_every_python_formats_alike(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    found: dict[str, str] = {}
    for name, path in interpreters().items():
        python = path
        if not has_extras(path):
            place = tmp_path / name.replace(" ", "-")
            subprocess.run([str(path), "-m", "venv", str(place)], check=True, capture_output=True, timeout=300)
            python = place / "bin" / "python"
            installed = subprocess.run(
                [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *EXTRAS],
                capture_output=True,
                text=True,
                timeout=900,
            )
            assert installed.returncode == 0, f"{name}: {installed.stderr[-2000:]}"
        found[name] = hashed(python, TOP / "spec", formatted=True)
    record_property("note: generated alike, formatted, on", ", ".join(sorted(found)))
    assert len(set(found.values())) == 1, found


@pytest.mark.slow
def test_what_is_committed_is_what_the_contract_says(record_property: Callable[[str, object], None]) -> None:
    """Unformatted text is compared through the cache-free formatter by `make check`; here the documents and one module are."""
    files = render(project(TOP), contract())
    documents = {path: text for path, text in files.items() if not path.endswith(".py")}
    modules = {path: text for path, text in files.items() if path.endswith("refunds.py")}
    for path, text in {**documents, **format_files(modules, None)}.items():
        committed = (TOP / "generated" / path).read_bytes()
        assert (
            hashlib.sha256(committed).digest() == hashlib.sha256(text.encode()).digest()
        ), f"{path} is stale: make generate"
    assert {
        path.relative_to(TOP / "generated").as_posix()
        for path in (TOP / "generated" / "paywright").rglob("*")
        if _ours(path)
    } == set(files)


def _ours(path: Path) -> bool:
    return path.is_file() and not {"__pycache__", ".ruff_cache", ".mypy_cache"} & set(path.parts)
