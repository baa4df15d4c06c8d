"""Whatever writes personal data or keys, a command or a sample, writes it for its owner alone, whatever the umask is."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_cli.common.loading import open_ledger
from paywright_cli.main import main
from paywright_receiver import SqliteLedger
from paywright_sandbox.testing.served import running_sandbox
from tests.audit.helpers.records import Scribe
from tests.sandbox.helpers.plain import PlainClient
from tests.support.umask import UMASKS, mode_of, shared, umask

TOP = Path(__file__).resolve().parents[2]
# What `sandbox init` writes for others too: public keys, and settings that open nothing but that sandbox.
PUBLIC = {"keys/gateway.pub", "keys/merchant.pub", "sandbox.toml", ".gitignore"}


@pytest.mark.parametrize("mask", UMASKS, ids=oct)
def test_every_command_that_writes_writes_for_its_owner(
    mask: int, tmp_path: Path, made_once: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with umask(mask):
        assert main(["keys", "generate"]) == 0
        assert main(["sandbox", "init", "shop"]) == 0
        served(tmp_path / "shop")
        audited(made_once)
        open_ledger("listen.db", new=True)  # as `listen --ledger` does
    public = {f"shop/{name}" for name in PUBLIC} | {"merchant.pub"}
    assert shared(tmp_path).keys() <= public
    assert len(list(tmp_path.rglob("*"))) >= 19


def served(folder: Path) -> None:
    """A sandbox with an order, and what its commands write."""
    with running_sandbox(folder) as sandbox:
        plain = PlainClient(int(sandbox.base_url.rpartition(":")[2]), folder)
        plain.query("ORD_1")
        plain.close()
        url = ("--url", sandbox.base_url)
        for command in (("snapshot", "save", "state.copy"), ("log", "--output", "log.jsonl")):
            assert main(["sandbox", *command, *url]) == 0
        names = {file.name for file in folder.iterdir()}
        assert {"state.sqlite3", "state.sqlite3-wal"} <= names
        assert shared(folder).keys() <= PUBLIC, "also while it is served"


def audited(keys: Path) -> None:
    """Reports that show values, and all findings."""
    scribe = Scribe(keys)
    scribe.call("orders.query", {"outTradeNo": 7}, {"outTradeNo": "other"})
    file = Path("capture.jsonl")
    file.touch(0o600)  # the user's own
    file.write_text("".join(json.dumps(one) + "\n" for one in scribe.records))
    written = [word for name in ("json", "html", "jsonl") for word in ("--write", f"report.{name}")]
    assert main(["audit", "capture.jsonl", *scribe.options(), "--values", *written]) == 1


@pytest.mark.skipif(os.name != "posix", reason="modes")
@pytest.mark.parametrize("mask", UMASKS, ids=oct)
def test_a_bare_report_by_umask(mask: int, tmp_path: Path, made_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scribe = Scribe(made_once)
    scribe.call("orders.query", {"outTradeNo": 7})
    Path("capture.jsonl").write_text("".join(json.dumps(one) + "\n" for one in scribe.records))
    with umask(mask):
        main(["audit", "capture.jsonl", "--write", "report.json", "--write-baseline", "known.json"])
    assert mode_of(tmp_path / "report.json") == mode_of(tmp_path / "known.json") == 0o666 & ~mask


# What is there already


def keep_a_ledger(file: Path, _: Path) -> None:
    SqliteLedger(file)


def keep_a_report(file: Path, keys: Path) -> None:
    scribe = Scribe(keys)
    scribe.call("orders.query", {"outTradeNo": 7})
    capture = file.with_name("capture.jsonl")
    capture.write_text("".join(json.dumps(one) + "\n" for one in scribe.records))
    main(["audit", str(capture), "--reveal", "--write", str(file)])


def keep_a_log(file: Path, keys: Path) -> None:
    with running_sandbox() as sandbox:
        main(["sandbox", "log", "--output", str(file), "--url", sandbox.base_url])


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        ("shop.db", keep_a_ledger),
        ("log.jsonl", keep_a_log),
        ("report.json", keep_a_report),
        ("report.jsonl", keep_a_report),
    ],
)
def test_a_file_of_the_merchants_own_keeps_its_mode_and_is_warned_of_once(
    name: str, keep: Callable[[Path, Path], None], tmp_path: Path, made_once: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / name
    file.touch()
    file.chmod(0o644)
    for _ in range(2):
        keep(file, made_once)
    assert mode_of(file) == 0o644
    warned = [record.message for record in caplog.records if record.name == "paywright.files"]
    assert len(warned) == 1
    assert warned[0].startswith(f"{file} has personal data")


# Samples


# Whoever adds a writer looks here, and says why what it writes is no secret, or uses `private_files`.

_WRITES = re.compile(
    r"os\.(open|mkfifo)|(NamedTemporaryFile|mkstemp|TemporaryFile)|sqlite3\.connect|.*ParquetWriter"
    r"|.*\.(write_text|write_bytes|touch)"
)
_MAY_WRITE = re.compile(
    r"open\(|mkfifo\(|Temporary\w*File|mkstemp|sqlite3\.connect|ParquetWriter|\.write_(text|bytes)|\.touch"
)
WRITERS = {
    "runtime/paywright_runtime/private_files.py": "it is what the others use",
    "audit/paywright_audit/settings/config.py": "a baseline has ids of findings and counts",
    "audit/paywright_audit/cross_exchange/history/row_store.py": "in a temporary folder of its owner's alone",
    "audit/paywright_audit/report/writers.py": "a file that whole_files.py made, whole",
    "audit/paywright_audit/running/finding_rows.py": "the same",
    "audit/paywright_audit/settings/whole_files.py": "a look whether it can be written, and what is no regular file",
    "cli/paywright_cli/commands/contract.py": "the documents of the contract, which are public",
    "cli/paywright_cli/commands/contract_reading.py": "in a temporary folder of its owner's alone",
    "cli/paywright_cli/common/terminal.py": "/dev/null",
    "codegen/paywright_codegen/generation/writing.py": "generated code",
    "codegen/paywright_codegen/generation/freshness.py": "digests of generated code",
    "receiver/paywright_receiver/ledgers/sqlite.py": "to read",
    "receiver/paywright_receiver/ledgers/sqlite_connections.py": "a file that private_files made",
    "sandbox/paywright_sandbox/engine/state/store.py": "a file that private_files made",
}


def writes(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    if name == "open" or name.endswith(".open"):
        modes = [ast.unparse(one) for one in (*call.args, *(key.value for key in call.keywords))]
        if any(re.fullmatch(r"'[rbt+]*[wax][wabt+]*'", mode) for mode in modes):
            return True
    return _WRITES.fullmatch(name) is not None


def test_no_other_module_writes_files_by_itself() -> None:
    found = set()
    for package in ("audit", "cli", "codegen", "receiver", "runtime", "sandbox"):
        for path in (TOP / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text if _MAY_WRITE.search(text) else "")
            if any(isinstance(node, ast.Call) and writes(node) for node in ast.walk(tree)):
                found.add(str(path.relative_to(TOP)))
    assert found == set(WRITERS)
