"""`paywright doctor`: broken installations, each of which it names; what it says to do mends each."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from paywright import FixedClock
from paywright_cli.commands.doctor import looks
from paywright_cli.main import main
from paywright_receiver import SqliteLedger
from paywright_receiver.items.book import ItemId
from paywright_runtime.signing.keys import KeyPair
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.receiver.helpers.day_items import item
from tests.receiver.helpers.desk import key
from tests.support.ports import lasting_port


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@dataclass
class Installation:
    """A sound installation: settings, keys of its own, a ledger, and what is asked of the doctor."""

    folder: Path
    sandbox: RunningSandbox
    env: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.env = dict(self.sandbox.env)
        for name in ("PRIVATE_KEY_FILE", "GATEWAY_KEY_FILES"):
            copy = self.folder / Path(self.env[f"PAYWRIGHT_{name}"]).name
            shutil.copy(self.env[f"PAYWRIGHT_{name}"], copy)
            self.env[f"PAYWRIGHT_{name}"] = str(copy)
        self.key.chmod(0o600)
        SqliteLedger(self.ledger).close()
        self.options = ["--ledger", str(self.ledger)]

    @property
    def key(self) -> Path:
        return Path(self.env["PAYWRIGHT_PRIVATE_KEY_FILE"])

    @property
    def ledger(self) -> Path:
        return self.folder / "shop.db"

    def set(self, **values: str) -> None:
        self.env.update({f"PAYWRIGHT_{name.upper()}": value for name, value in values.items()})

    def unset(self, name: str) -> None:
        del self.env[f"PAYWRIGHT_{name.upper()}"]

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def open_item(self, address: str) -> None:
        """An order that was due an hour ago."""
        clock = FixedClock(datetime.now(UTC) - timedelta(hours=1))
        with closing(SqliteLedger(self.ledger, clock=clock)) as ledger:
            ledger.book.open(
                item(
                    "N1", state=None, id=ItemId(self.env["PAYWRIGHT_APP_ID"], "orders", "n1"), address=address
                )._replace(status="open", step="wait", due_at=clock.now(), opened_at=clock.now(), settled_at=None)
            )

    def sql(self, *statement: object) -> None:
        with closing(sqlite3.connect(self.ledger)) as db, db:
            db.execute(*statement)  # type: ignore[arg-type]


OTHER = KeyPair(key(5))
Do = Callable[[Installation], object]


def accepting(installation: Installation) -> None:
    """An endpoint that takes everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    installation.options += ["--endpoint", f"http://127.0.0.1:{server.server_port}/webhook"]


def damaged(installation: Installation) -> None:
    raw = bytearray(installation.ledger.read_bytes())
    raw[4 * 4096 : 5 * 4096] = bytes(4096)
    installation.ledger.write_bytes(raw)


def new_ledger(installation: Installation) -> None:
    installation.ledger.unlink(missing_ok=True)
    SqliteLedger(installation.ledger).close()


def without_endpoint(installation: Installation) -> None:
    del installation.options[2:]


def resets(name: str) -> Do:
    return lambda one: one.env.update({f"PAYWRIGHT_{name}": one.sandbox.env[f"PAYWRIGHT_{name}"]})


BROKEN: dict[str, tuple[Do, str, Do]] = {
    # how it is broken, what is said, and how the advice is followed
    "no address": (lambda one: one.unset("base_url"), "PAYWRIGHT_BASE_URL", resets("BASE_URL")),
    "no app": (lambda one: one.unset("app_id"), "PAYWRIGHT_APP_ID", resets("APP_ID")),
    "no key": (lambda one: one.unset("private_key_file"), "PAYWRIGHT_PRIVATE_KEY_FILE", resets("PRIVATE_KEY_FILE")),
    "no gateway key": (
        lambda one: one.unset("gateway_key_files"), "PAYWRIGHT_GATEWAY_KEY_FILES", resets("GATEWAY_KEY_FILES")
    ),
    "a misspelled name": (
        lambda one: one.set(base_ulr="x"), "PAYWRIGHT_BASE_URL", lambda one: one.unset("base_ulr")
    ),
    "a timeout that is no number": (
        lambda one: one.set(timeout="soon"), "PAYWRIGHT_TIMEOUT is not a number", lambda one: one.unset("timeout")
    ),
    "a key that is not there": (
        lambda one: one.set(private_key_file="gone.key"), "gone.key", resets("PRIVATE_KEY_FILE")
    ),
    "a file that is no key": (
        lambda one: one.set(private_key_file=one.write("text.key", "hello")), "it is not Base64", resets("PRIVATE_KEY_FILE")
    ),
    "a public key for one's own": (
        lambda one: one.set(private_key_file=one.write("public.key", OTHER.public_pem)),
        "this is a public key",
        resets("PRIVATE_KEY_FILE"),
    ),
    "one's own public key for the gateway's": (
        lambda one: one.set(
            private_key_file=one.write("own.key", OTHER.private_pem),
            gateway_key_files=one.write("own.pub", OTHER.public_pem),
        ),
        "your own",
        lambda one: (resets("GATEWAY_KEY_FILES")(one), resets("PRIVATE_KEY_FILE")(one)),
    ),
    "another gateway's key": (
        lambda one: one.set(gateway_key_files=one.write("other.pub", OTHER.public_pem)),
        "the gateway key is not the right one",
        resets("GATEWAY_KEY_FILES"),
    ),
    "a key that is not registered": (
        lambda one: one.set(private_key_file=one.write("own.key", OTHER.private_pem)),
        "An unknown key signed it",
        resets("PRIVATE_KEY_FILE"),
    ),
    "a key that others can read": (
        lambda one: one.key.chmod(0o644), "other users may read", lambda one: one.key.chmod(0o600)
    ),
    "an app that the gateway does not know": (
        lambda one: one.set(app_id="app_of_others"), "MERCHANT_APP_INVALID", resets("APP_ID")
    ),
    "nothing at the address": (
        lambda one: one.set(base_url=f"http://127.0.0.1:{lasting_port()}"), "refused", resets("BASE_URL")
    ),
    "https where there is none": (
        lambda one: one.set(base_url=one.env["PAYWRIGHT_BASE_URL"].replace("http:", "https:")), "TLS", resets("BASE_URL")
    ),
    "a proxy that is not there": (
        lambda one: one.set(proxy=f"http://me:secret@127.0.0.1:{lasting_port()}"),
        "the proxy 127.0.0.1:",
        lambda one: one.unset("proxy"),
    ),
    "no ledger": (lambda one: one.ledger.unlink(), "there is no ledger", new_ledger),
    "a damaged ledger": (damaged, "It is damaged", new_ledger),
    "a webhook that failed": (
        lambda one: one.sql(
            "INSERT INTO paywright_notifications VALUES ('k',NULL,1,'d','s','PAYMENT',NULL,'failed',1,NULL,0,0,0,0,'',NULL,0,0,0)"
        ),
        "1 notifications are failed",
        lambda one: one.sql("UPDATE paywright_notifications SET status = 'done'"),
    ),
    "nobody follows": (
        lambda one: one.open_item(one.env["PAYWRIGHT_BASE_URL"]),
        "were due ten minutes ago",
        lambda one: one.sql("UPDATE paywright_items SET status = 'closed', due_at = NULL"),
    ),
    "items at another address": (
        lambda one: one.open_item("http://127.0.0.1:1"),
        "belong to http://127.0.0.1:1",
        lambda one: one.sql("UPDATE paywright_items SET status = 'closed', due_at = NULL"),
    ),
    "no endpoint": (
        lambda one: one.options.extend(["--endpoint", f"http://127.0.0.1:{lasting_port()}/"]),
        "no answer: Connection refused",
        without_endpoint,
    ),
    "an endpoint that takes everything": (accepting, "it answers 200 to a webhook without a signature", without_endpoint),
}  # fmt: skip


def doctor(installation: Installation, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    file = installation.folder / "settings.env"
    file.write_text("".join(f"{name}='{value}'\n" for name, value in installation.env.items()))
    code = main(["doctor", "--env", str(file), *installation.options, *options])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_installation_is_named_and_what_it_says_mends_it(
    name: str, tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, says, mended = BROKEN[name]
    installation = Installation(tmp_path, sandbox)
    broken(installation)
    code, said = doctor(installation, capsys)
    assert code == 1
    assert says in said
    assert "secret" not in said
    mended(installation)
    code, said = doctor(installation, capsys)
    assert (code, said.endswith("nothing is wrong\n")) == (0, True), said


def test_a_clock_that_is_wrong_is_named_with_its_distance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop").mkdir()
    ahead = FixedClock(datetime.now(UTC) + timedelta(hours=1))
    with running_sandbox(tmp_path / "gateway", wall=ahead) as running:
        code, said = doctor(Installation(tmp_path / "shop", running), capsys)
    assert (code, "REQ_TIME_OVER_TIME" in said, "clock" in said) == (1, True, True), said


def test_what_it_finds_is_json_too_and_offline_it_calls_nobody(
    tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    installation = Installation(tmp_path, sandbox)
    installation.set(base_url=f"http://127.0.0.1:{lasting_port()}")
    code, said = doctor(installation, capsys, "--format", "json", "--offline")
    found = json.loads(said)
    assert (code, {one["part"] for one in found}) == (0, {"versions", "settings", "keys", "ledger", "items"})
    assert {one["state"] for one in found if one["part"] != "versions"} == {"ok"}


def test_a_package_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"cryptography": "2.0"}
    monkeypatch.setattr(looks.metadata, "version", lambda name: old.get(name, "99.0"))
    (wrong,) = (one for one in looks.packages() if one.state == "NO")
    assert wrong.seen.startswith("cryptography 2.0 is older than ")
    assert wrong.do.startswith("pip install 'cryptography>=")


@pytest.mark.parametrize(
    ("version", "state"), [("42.0.0", "note"), ("46.0.7", "note"), ("47.0.0", "ok"), ("50.0.2", "ok")]
)
def test_it_notes_a_cryptography_that_signs_while_all_threads_wait(
    version: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looks.metadata, "version", lambda name: version if name == "cryptography" else "99.0")
    (found,) = (one for one in looks.packages() if one.seen.startswith("cryptography"))
    assert (found.state, ">=47" in found.do) == (state, state == "note")
