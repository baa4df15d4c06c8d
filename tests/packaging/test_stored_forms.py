"""What is stored is read by who takes it up, and what another version stored is refused with words.

Until something is released every form is of version 1, and changes as it must. From then on `stored/VERSION` has a file of each
form, written by that release, which all later ones read; a form that changes then gets a higher version and a migration.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from paywright import InvalidArgument, LedgerProblem
from paywright.contract import CONTRACT
from paywright_audit import AuditSetupError, audit_files, load_baseline
from paywright_receiver import SqliteLedger
from paywright_receiver.items.stored_follow import following_of
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.snapshot_routes import restore
from paywright_sandbox.engine.settings import SETTINGS_FILE
from paywright_sandbox.gateway import open_store, read_settings
from tests.packaging.stored.world import (
    FOLDER,
    RELEASES,
    SCHEMA,
    audit_settings,
    later,
    look,
    report_of,
    write,
    write_postgresql,
)
from tests.support.contract import TOP

GROUP = "orders.query response /data/outTradeNo other-key"


class Kept:
    """A copy of what a release stored, and the keys of a sandbox."""

    def __init__(self, folder: Path, keys: Path) -> None:
        self.folder = folder
        self.keys = keys
        self.state = folder / "sandbox.sqlite3"
        for packed in folder.glob("*.xz"):
            packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))


@pytest.fixture(scope="session")
def stored_now(tmp_path_factory: pytest.TempPathFactory) -> Path:
    write(folder := tmp_path_factory.mktemp("stored") / "now")
    return folder


@pytest.fixture(params=[*RELEASES, "now"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, made_once: Path, stored_now: Path) -> Kept:
    shutil.copytree(FOLDER / request.param if request.param in RELEASES else stored_now, tmp_path / "kept")
    shutil.copytree(made_once, tmp_path / "keys")
    return Kept(tmp_path / "kept", tmp_path / "keys")


def audited(name: str, *, valid: int) -> Callable[[Kept], None]:
    def read(kept: Kept) -> None:
        report = audit_files([kept.folder / name], audit_settings(kept.folder))
        if report.unreadable:
            raise AuditSetupError(report.unreadable[0].message)
        assert (report.signatures.get("valid", 0), report.totals.errors) == (valid, 0)
        assert report.totals.matched >= 2

    return read


def read_ledger(kept: Kept) -> None:
    with (
        later(kept.keys, kept.state.read_bytes()) as sandbox,
        closing(SqliteLedger(kept.folder / "ledger.db", clock=sandbox.engine.wall)) as ledger,
    ):
        look(sandbox, ledger)


def read_item(kept: Kept) -> None:
    with (
        closing(SqliteLedger(kept.folder / "ledger.db")) as ledger,
        later(kept.keys, kept.state.read_bytes()) as sandbox,
        sandbox.client() as client,
    ):
        for item in ledger.book.items():
            state = following_of(CONTRACT, item, owner=client.context.owner)[0]
            assert (state.key, state.settled) == (item.key, item.status == "settled")


def read_resolver(kept: Kept) -> None:
    with later(kept.keys, kept.state.read_bytes()) as sandbox, sandbox.client() as client:
        resolver = client.resume((kept.folder / "resolver.json").read_text())
        assert (resolver.operation, resolver.key, resolver.look().asked) == ("orders.checkout", "ORD_LOST", 1)
        assert resolver.step().state == "settled"


def read_state(kept: Kept) -> None:
    with closing(open_store(kept.state)) as store, store.transaction() as state:
        assert state.one("SELECT count(*) AS number FROM orders") == {"number": 5}


def read_snapshot(kept: Kept) -> None:
    with later(kept.keys, kept.state.read_bytes()) as sandbox:
        restore(sandbox.engine, kept.state.read_bytes())
        assert [len(sandbox.items(name)) for name in ("orders", "notifications")] == [5, 2]
        sandbox.pay("ORD_OPEN")


def read_settings_file(kept: Kept) -> None:
    shutil.copy(kept.folder / SETTINGS_FILE, kept.keys)
    settings = read_settings(kept.keys)
    assert len(settings.merchants) == 1
    assert settings.seed


def read_baseline(kept: Kept) -> None:
    assert load_baseline(kept.folder / "baseline.json") == {GROUP: 2}


def in_text(name: str, old: str, new: str) -> Callable[[Kept], None]:
    def change(kept: Kept) -> None:
        text = (kept.folder / name).read_text()
        assert old in text
        (kept.folder / name).write_text(text.replace(old, new))

    return change


def in_database(name: str, *statements: str) -> Callable[[Kept], None]:
    def change(kept: Kept) -> None:
        with closing(sqlite3.connect(kept.folder / name)) as db, db:
            for statement in statements:
                db.execute(statement)

    return change


class Form(NamedTuple):
    """How a form is read, how a newer one would look, and with which words and error that is refused."""

    read: Callable[[Kept], None]
    newer: Callable[[Kept], None]
    error: type[Exception]
    words: tuple[str, ...]


NOT_CHANGED = "Nothing was changed."
FORMS = {
    "ledger": Form(
        read_ledger, in_database("ledger.db", "UPDATE paywright_schema SET version = 2"), LedgerProblem,
        ("are of version 2, and this paywright knows version 1", NOT_CHANGED, "Use the paywright that made them"),
    ),
    "followed item": Form(
        read_item,
        in_database("ledger.db", "UPDATE paywright_items SET follow = json_set(follow, '$.paywright_following', 2)"),
        InvalidArgument, ("another version of the library (its format is 2, this one's 1)", "Nothing was sent.", "paywright that stored it"),
    ),
    "resolver": Form(
        read_resolver, in_text("resolver.json", '"paywright_resolving": 1', '"paywright_resolving": 2'),
        InvalidArgument, ("another version of the library (its format is 2, this one's 1)", "Nothing was sent.", "paywright that stored it"),
    ),
    "sandbox's log": Form(
        audited("log.jsonl", valid=14), in_text("log.jsonl", '{"v":1,', '{"v":2,'), AuditSetupError,
        ("its v is 2, and this paywright reads 1", "the newer paywright"),
    ),
    "exact recording": Form(
        audited("exact.jsonl", valid=4), in_text("exact.jsonl", '{"v":1,', '{"v":2,'), AuditSetupError,
        ("its v is 2, and this paywright reads 1", "the newer paywright"),
    ),
    "redacted recording": Form(
        audited("redacted.jsonl", valid=0), in_text("redacted.jsonl", '{"v":1,', '{"v":2,'), AuditSetupError,
        ("its v is 2, and this paywright reads 1", "the newer paywright"),
    ),
    "baseline": Form(
        read_baseline, in_text("baseline.json", '"v": 1', '"v": 2'), AuditSetupError,
        ("its v is 2, and this paywright reads 1", "the newer paywright", "--write-baseline"),
    ),
    "sandbox's settings": Form(
        read_settings_file,
        in_text("sandbox.toml", "[policies]", "[policies]\nnewer = true"),
        ConfigurationError,
        ("newer",),
    ),
    "sandbox's state": Form(
        read_state, in_database("sandbox.sqlite3", "PRAGMA user_version = 2"), ConfigurationError,
        ("of version 2, and this sandbox knows version 1", NOT_CHANGED, "the paywright that made it"),
    ),
    "sandbox's snapshot": Form(
        read_snapshot, in_database("sandbox.sqlite3", "PRAGMA user_version = 2"), ConfigurationError,
        ("of version 2, and this sandbox knows version 1", NOT_CHANGED, "the paywright that made it"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_what_is_stored_is_read_and_used(name: str, kept: Kept) -> None:
    FORMS[name].read(kept)


@pytest.mark.parametrize("name", FORMS)
def test_what_another_version_stored_is_refused_with_words_and_left_as_it_is(name: str, kept: Kept) -> None:
    form = FORMS[name]
    form.newer(kept)
    before = {path.name: path.read_bytes() for path in kept.folder.iterdir()}
    with pytest.raises(form.error) as refused:
        form.read(kept)
    assert [words for words in form.words if words not in str(refused.value)] == [], str(refused.value)
    assert {path.name: path.read_bytes() for path in kept.folder.iterdir()} == before


@pytest.mark.slow
def test_tables_in_postgresql_are_used_and_those_of_another_version_are_refused(kept: Kept) -> None:
    pytest.importorskip("psycopg")
    from paywright_receiver import PostgresLedger
    from tests.receiver.helpers.postgres_server import running_postgres

    if not (kept.folder / "ledger.sql").exists():
        write_postgresql(kept.folder)
    with running_postgres() as server, later(kept.keys, kept.state.read_bytes()) as sandbox:
        server.ask((kept.folder / "ledger.sql").read_text())
        with closing(PostgresLedger(server.conninfo(), schema=SCHEMA)) as ledger:
            look(sandbox, ledger)
        server.ask(f"UPDATE {SCHEMA}.paywright_schema SET version = 2")
        with (
            closing(PostgresLedger(server.conninfo(), schema=SCHEMA)) as newer,
            pytest.raises(LedgerProblem) as refused,
        ):
            newer.list()
    assert [words for words in FORMS["ledger"].words if words not in str(refused.value)] == []


def members(value: object, at: str = "") -> set[str]:
    """The places of a document and their types."""
    found = {f"{at} {type(value).__name__}"}
    if isinstance(value, dict):
        return found.union(*(members(one, f"{at}/{name}") for name, one in value.items()))
    return found.union(*(members(one, f"{at}/*") for one in value)) if isinstance(value, list) else found


@pytest.mark.parametrize("release", RELEASES)
def test_a_report_has_all_members_that_it_had(release: str) -> None:
    report = json.loads(lzma.decompress((FOLDER / release / "report.json.xz").read_bytes()))
    assert (report["v"], len(report["groups"]) > 0) == (1, True)
    assert members(report) - members(report_of(FOLDER / release)) == set()


NUMBERED = {
    "audit/paywright_audit/recording/captured.py",
    "audit/paywright_audit/report/lines.py",
    "audit/paywright_audit/result/partial_result.py",  # for parts of one run: see test_pickle
    "audit/paywright_audit/settings/config.py",
    "receiver/paywright_receiver/items/stored_follow.py",
    "receiver/paywright_receiver/ledgers/sql/statements.py",
    "runtime/paywright_runtime/settling/stored_document.py",
    "sandbox/paywright_sandbox/engine/state/captures.py",
    "sandbox/paywright_sandbox/engine/state/store.py",
}
_NUMBER = re.compile(r'(?:^_?(?:VERSION|FORM): .*= |StoredKind\(\s*"\w+", |"v": )([0-9]+)', re.MULTILINE)


def test_every_form_is_of_version_1_until_something_is_released() -> None:
    """Who adds a form adds it here, to `FORMS` and to `stored`. After a release a higher number comes with a migration."""
    packages = ("audit", "cli", "codegen", "receiver", "runtime", "sandbox")
    sources = [path for name in packages for path in (TOP / name).rglob("*.py")]
    found = {path.relative_to(TOP).as_posix(): {*_NUMBER.findall(path.read_text(encoding="utf-8"))} for path in sources}
    assert {name: said for name, said in found.items() if said} == {name: {"1"} for name in NUMBERED}
