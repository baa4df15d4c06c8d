"""All code of README and of the documents passes mypy and pyright in strict mode: what is copied from them begins right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.cli.helpers.command_line import paywright
from tests.support.type_checkers import checked, configure

pytest.importorskip("mypy", reason="the checkers come with the extra `check`")
pytest.importorskip("pyright", reason="the checkers come with the extra `check`")

TOP = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^<!-- ([\w/]+[.]py) -->\n+```python\n.*?^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"# (\w+)[.]py\n").match

# What a page leaves to its reader.
GIVEN: Final = {
    "outcomes": "from typing import Any\n\ntracer: Any = None\n",
    "paid": "import sqlite3\nfrom contextlib import closing\nfrom datetime import datetime\nfrom paid_fastapi import PRICE, client, follower\n\n"
    "number, amount, until = 'ORD_1', PRICE, datetime.now()\n",
}
# Django, Celery, Huey and the client of Redis say little about their types.
UNTYPED: Final = (
    "# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportMissingTypeStubs=false\n"
    "# pyright: reportGeneralTypeIssues=false, reportUntypedFunctionDecorator=false\n"
)
_IS_UNTYPED = re.compile(r"^from (django|celery|huey|redis)", re.MULTILINE).search


def modules() -> dict[str, str]:
    """The code of each document, by module: a block that names its file is that file, all others of a page are one.

    A file of the examples is shown as it is. The code in the reference of the contract's language is
    generated; its own test finds it in the golden files.
    """
    found: dict[str, str] = {}
    written = [path for path in sorted((TOP / "docs").rglob("*.md")) if path.name != "contract.md"]
    for path in [TOP / "README.md", *written]:
        page = path.stem.lower().replace("-", "_")
        text = path.read_text(encoding="utf-8")
        for source in _FILE.findall(text):
            module = TOP / source
            code = module.read_text(encoding="utf-8")
            found[module.stem] = (UNTYPED if _IS_UNTYPED(code) else "") + code
        for block in _BLOCK.findall(_FILE.sub("", text)):
            named = _NAMED(block)
            if named is not None:
                assert named[1] not in found, f"{path.name}: {named[1]}.py stands in two places"
                found[named[1]] = (UNTYPED if _IS_UNTYPED(block) else "") + block
            else:
                found[page] = found.get(page, GIVEN.get(page, "")) + "\n\n" + block
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for name, text in modules().items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    # The package of docs/another-gateway.md.
    assert paywright("contract", "init", folder / "acme").code == 0
    assert (
        paywright("contract", "generate", "--spec", folder / "acme", "--out", folder, "--package", "acmepay").code == 0
    )
    configure(folder, "acmepay")
    return folder


def test_every_page_with_code_is_among_them() -> None:
    assert {"readme", "outcomes", "paid_django", "notifications", "start", "payments", "urls"} <= set(modules())


@pytest.mark.types
@pytest.mark.slow
def test_mypy_finds_nothing_in_the_samples(folder: Path) -> None:
    assert checked(folder, "mypy", ".") == ""


@pytest.mark.types
@pytest.mark.slow
def test_pyright_finds_nothing_in_the_samples(folder: Path) -> None:
    assert checked(folder, "pyright", "-p", ".") == ""


@pytest.mark.types
@pytest.mark.slow
def test_a_slip_in_a_sample_would_be_found(folder: Path, tmp_path: Path) -> None:
    slip = folder / "slip.py"
    slip.write_text("from paywright import Client\n\nclient = Client.from_env()\nclient.orders.query(out_trade_no=5)\n")
    try:
        assert "slip.py" in checked(folder, "mypy", "slip.py")
        assert "slip.py" in checked(folder, "pyright", "slip.py")
    finally:
        slip.unlink()
