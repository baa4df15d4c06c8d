"""The wheel, built and installed alone: small, complete, and at home with two dependencies."""

from __future__ import annotations

import bz2
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from paywright_cli.common.pages import PACKED, checkout_pages
from paywright_runtime.contract import index
from tests.support.once import once

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
_SDK_LIMIT = 476_000
_SDK = ("paywright/", "paywright_runtime/", "paywright_receiver/")
_PAGES_LIMIT = 126_000
_LIMIT = 1_533_000


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory)


def built_once(folders: pytest.TempPathFactory) -> Path:
    (wheel,) = once(folders, "dist", built).glob("*.whl")
    return wheel


def built(out: Path) -> Path:
    """Built as `make wheel` does, from the sdist; without an environment of its own, so without the network."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, TOP],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = out.glob("*.whl")
    assert len(list(out.glob("*.tar.gz"))) == 1
    return made


def test_what_a_merchants_process_imports_is_small_and_the_whole_wheel_is_bounded(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sdk = [entry for entry in archive.infolist() if entry.filename.startswith(_SDK)]
    assert len({entry.filename.split("/")[0] for entry in sdk}) == len(_SDK)
    assert sum(entry.compress_size for entry in sdk) < _SDK_LIMIT
    assert wheel.stat().st_size < _LIMIT


def test_the_wheel_holds_the_packages_the_contract_and_nothing_of_the_workshop(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    packages = {
        "paywright",
        *(f"paywright_{name}" for name in ("audit", "cli", "codegen", "receiver", "runtime", "sandbox")),
    }
    assert {top for top in tops if not top.endswith(".dist-info")} == packages
    assert all(f"{package}/py.typed" in names for package in packages)
    spec = {path.name for path in (TOP / "spec").glob("*.yaml")} - {"coverage.yaml"}
    assert {name.rpartition("/")[2] for name in names if name.startswith("paywright_codegen/spec/")} == spec
    assert any(name.endswith(".jinja") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or "/." in name]


def test_the_description_on_an_index_has_no_dead_link_and_names_pages_that_are_there(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        description = archive.read(name).decode().partition("\n\n")[2]
    assert not re.search(r"\]\((?!https?://)", description)
    named = set(re.findall(r"`paywright docs ([a-z-]+)`", description))
    assert {f"{each}.md" for each in named} <= {page.rpartition("/")[2] for page in checkout_pages(TOP / "docs")}
    assert len(named) > 15


def test_two_builds_are_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    built(tmp_path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {
        one.name: one.read_bytes() for one in wheel.parent.iterdir()
    }


def test_the_wheel_holds_the_documentation_packed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entry = archive.getinfo(f"paywright_cli/{PACKED}")
        packed = archive.read(entry)
    assert entry.compress_size < _PAGES_LIMIT
    assert json.loads(bz2.decompress(packed)) == checkout_pages(TOP / "docs")


def test_the_json_of_the_wheel_says_what_that_of_the_checkout_says(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        lines = bz2.decompress(archive.read(f"paywright/{index.PACKED}")).splitlines()
        for name, line in zip(index.DOCUMENTS, lines, strict=True):
            text = (TOP / "generated" / "paywright" / f"{name}.json").read_text(encoding="utf-8")
            assert json.loads(line, parse_float=str) == json.loads(text, parse_float=str)
        for path in (TOP / "generated" / "paywright" / "contract").rglob("*.json"):
            packed = archive.read(path.relative_to(TOP / "generated").as_posix()).decode()
            assert json.loads(packed, parse_float=str) == json.loads(path.read_text(encoding="utf-8"), parse_float=str)


def test_the_wheel_says_where_the_contract_states_what_it_states(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        found = json.loads(archive.read("paywright/places.json"))
    assert not (TOP / "generated" / "paywright" / "places.json").exists()
    file, line = found["Refund"][:2]
    assert "Refund" in (TOP / "spec" / f"{file}.yaml").read_text(encoding="utf-8").splitlines()[line - 1]


def test_every_module_but_those_that_write_our_documentation_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for top in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox"):
        for path in (TOP / top).rglob("*.py"):
            name = path.relative_to(TOP / top).as_posix()
            assert (name in names) != bool(re.match("paywright_codegen/(documents/)?reference", name)), name


class Bare:
    """An environment with the wheel and what it asks for, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        self.paywright = folder / "bin" / "paywright"

    @classmethod
    def once(cls, folders: pytest.TempPathFactory, extra: str = "", python: Path | str = sys.executable) -> Bare:
        """Make one for all tests with this extra and Python."""

        def make(folder: Path) -> None:
            subprocess.run([python, "-m", "venv", folder], check=True, timeout=300)
            done = cls(folder).run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", f"{wheel}{extra}")
            assert done.returncode == 0, done.stderr

        wheel = built_once(folders)
        return cls(once(folders, f"bare-{Path(python).parent.parent.name}{extra}", make))

    def run(self, *command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PAYWRIGHT_"))}
        return subprocess.run(
            command, input=given, env=clean, cwd=self.python.parent, capture_output=True, text=True, timeout=300
        )


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return Bare.once(tmp_path_factory)


def test_a_bare_install_brings_cryptography_and_what_that_needs(bare: Bare) -> None:
    listed = bare.run(bare.python, "-m", "pip", "list", "--format", "freeze").stdout.splitlines()
    names = {line.split("==")[0].lower() for line in listed}
    assert names - {"pip", "setuptools"} == {"paywright", "cryptography", "cffi", "pycparser"}


def test_keys_validate_and_call_work_there(bare: Bare, tmp_path: Path) -> None:
    made = bare.run(bare.paywright, "keys", "generate", "--dir", tmp_path)
    assert made.returncode == 0, made.stderr
    assert bare.run(bare.paywright, "validate", "refunds.create", "request", given="{}").returncode == 1
    exported = bare.run(bare.paywright, "contract", "export", "openapi")  # without an extra
    assert json.loads(exported.stdout) == json.loads(
        (TOP / "generated/paywright/openapi.json").read_text(encoding="utf-8")
    )
    place = 'from paywright.contract import CONTRACT as c; print(c.place("Refund"), c.digest[:2])'
    assert bare.run(bare.python, "-c", place).stdout.startswith("spec/refunds.yaml:")
    unset = bare.run(bare.paywright, "call", "orders.query", given='{"outTradeNo": "A"}')
    assert unset.returncode == 2
    assert "PAYWRIGHT_BASE_URL" in unset.stderr


def test_the_documentation_is_read_there(bare: Bare) -> None:
    page = bare.run(bare.paywright, "docs", "refunds.create")
    assert page.returncode == 0, page.stderr
    assert page.stdout.startswith("# refunds.create\n")
    assert "reference/codes" in bare.run(bare.paywright, "docs", "ORDER_NOT_EXIST").stdout
    assert bare.run(bare.paywright, "docs", "zebra").returncode == 1


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["contract", "lint"], "codegen"),
        (["contract", "show", "refunds.create"], "codegen"),
        (["contract", "questions"], "codegen"),
        (["sandbox", "--dir", "shop"], "sandbox"),
    ],
    ids=str,
)
def test_what_needs_an_extra_says_which(bare: Bare, command: list[str], extra: str) -> None:
    bare.run(bare.paywright, "sandbox", "init", "shop", "--force")
    done = bare.run(bare.paywright, *command)
    assert done.returncode == 2
    assert f"pip install 'paywright[{extra}]'" in done.stderr


def test_the_contract_in_the_wheel_is_read_where_there_is_no_checkout(bare: Bare, wheel: Path) -> None:
    done = bare.run(bare.python, "-m", "pip", "install", "--quiet", f"{wheel}[codegen]")
    assert done.returncode == 0, done.stderr
    shown = bare.run(bare.paywright, "contract", "show", "refunds.create")
    assert shown.returncode == 0, shown.stderr
    assert "outRefundNo!" in shown.stdout
    assert bare.run(bare.paywright, "contract", "generate").returncode == 2
