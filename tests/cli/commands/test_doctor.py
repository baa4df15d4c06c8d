"""`paywright doctor`: broken installations, each of which it names; each command that it prints runs, and many mend it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import certifi
import pytest

from paywright import Client, FixedClock, Follow, Ledger, RawAnswer, Receiver, SignedRequest, Transport
from paywright_cli.commands import doctor
from paywright_cli.commands.doctor import _destination
from paywright_cli.common.loading import named
from paywright_cli.main import main
from paywright_receiver import Follower, SqliteLedger
from paywright_runtime.signing.keys import KeyPair
from paywright_sandbox.testing import InProcessTransport, in_process_sandbox
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.cli.helpers.command_line import paywright
from tests.receiver.helpers.desk import key
from tests.runtime.helpers.transport_servers import Server, repeating
from tests.sandbox.helpers.place import place
from tests.support.http_servers import serving
from tests.support.ports import lasting_port

AGO = FixedClock(datetime.now(UTC) - timedelta(hours=1))


@dataclass
class Installation:
    """A sound installation: settings, keys of its own, a ledger, and what is asked of the doctor."""

    folder: Path
    sandbox: RunningSandbox
    env: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.env = dict(self.sandbox.env)
        self.keys.mkdir(0o700)
        for name in ("PRIVATE_KEY_FILE", "GATEWAY_KEY_FILES"):
            copy = self.keys / Path(self.env[f"PAYWRIGHT_{name}"]).name
            shutil.copy(self.env[f"PAYWRIGHT_{name}"], copy)
            self.env[f"PAYWRIGHT_{name}"] = str(copy)
        self.key.chmod(0o600)
        SqliteLedger(self.ledger).close()
        self.options = ["--ledger", str(self.ledger)]

    @property
    def keys(self) -> Path:
        return self.folder / "keys"

    @property
    def file(self) -> Path:
        return self.folder / "settings.env"

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
        (self.folder / name).touch(0o600)
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    @property
    def gateway_key(self) -> Path:
        return Path(self.env["PAYWRIGHT_GATEWAY_KEY_FILES"])

    def app(self) -> None:
        """A receiver with handlers, instead of its ledger alone."""
        self.write("shop_app.py", APP)
        self.options = ["--receiver", "shop_app:receiver"]

    def tell(self, ledger: Ledger | None = None, *, handled: bool) -> None:
        """A webhook that was delivered an hour ago to a receiver that does not handle it, or whose handler raises."""
        ledger = ledger or SqliteLedger(self.ledger, clock=AGO)
        receiver = Receiver(app_id=self.env["PAYWRIGHT_APP_ID"], gateway_keys=[self.gateway_key], ledger=ledger)
        if handled:

            @receiver.on_receive
            def transfer(event: object) -> None:
                raise LookupError

        made = self.sandbox.notification("transfer", status="SETTLED")
        assert receiver.receive(made.body, made.headers).outcome == ("failed" if handled else "unhandled")
        ledger.close()  # type: ignore[attr-defined]

    def open_item(self, address: str | None = None) -> None:
        """An order of the gateway that was due an hour ago, at an address of its own."""
        number = f"ORD_{self.folder.name}"
        with self.sandbox.client() as client:
            place(client, number)
        with self.sandbox.client(clock=AGO) as client, closing(SqliteLedger(self.ledger, clock=AGO)) as ledger:
            content = {"totalAmount": Decimal("10.50"), "currency": "USD"}
            Follower(client, ledger, book_only=True).open(None, Follow("orders", number, content=content))
        if address is not None:
            self.sql("UPDATE paywright_items SET address = ?", (address,))

    def save(self) -> Path:
        self.file.touch(0o600)
        self.file.write_text("".join(f"{name}={shlex.quote(value)}\n" for name, value in self.env.items()))
        return self.file

    def look(self, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
        """What the doctor says, and how it ends."""
        self.save()
        arguments = ["doctor", "--env", str(self.file), *self.options, *options]
        if "--receiver" in self.options:  # whose module is another one each time
            done = paywright(*arguments, cwd=self.folder)
            return done.code, done.out
        code = main(arguments)
        return code, capsys.readouterr().out

    def sql(self, *statement: object) -> None:
        with closing(sqlite3.connect(self.ledger)) as db, db:
            db.execute(*statement)  # type: ignore[arg-type]


OTHER = KeyPair(key(5))
Do = Callable[[Installation], object]
APP = """
from paywright import Receiver
from paywright_receiver import SqliteLedger

receiver = Receiver.from_env(SqliteLedger("shop.db"))
receiver.on_receive(lambda event: None)
receiver.on_result("orders")(lambda event: None)
"""


def ends(installation: Installation, command: str) -> int:
    """Run a command as it is printed, in the folder of the shop, and return how it ends."""
    program, *arguments = shlex.split(command)
    if program == "paywright":
        return paywright(*arguments, cwd=installation.folder).code
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(["sh", "-c", command], cwd=installation.folder, env={**os.environ, "PATH": path}).returncode


def advised(said: str) -> list[str]:
    commands = [line.partition("do: ")[2] for line in said.splitlines() if line.startswith("      do: ")]
    # Beside what is looked at: of a cryptography as old as is taken.
    return [command for command in commands if not command.startswith("pip install 'cryptography")]


def moved(installation: Installation, name: str) -> None:
    """The private key behind a link in a folder of another name."""
    (installation.folder / name).mkdir(0o700)
    (installation.folder / name / "my.key").symlink_to(installation.key)
    installation.set(private_key_file=str(installation.folder / name / "my.key"))


def second_key(installation: Installation) -> None:
    name = installation.write("second.pub", OTHER.public_pem)
    Path(name).chmod(0o602)
    installation.set(gateway_key_files=f"{installation.gateway_key},{name}")


def authorities(installation: Installation) -> Path:
    """A file of certificates, in a folder of its own."""
    (installation.folder / 'it\'s "mine"').mkdir(0o700)
    file = Path(shutil.copy(certifi.where(), installation.folder / 'it\'s "mine"'))
    installation.set(ca_file=str(file))
    return file


MENDED: dict[str, tuple[Do, str]] = {
    # how it is broken, and what is said
    "a key that others can read": (lambda one: one.key.chmod(0o644), "other users may read"),
    "a key that its group can change": (lambda one: one.key.chmod(0o660), "the users of its group may change"),
    "a key in a folder of everybody": (lambda one: one.keys.chmod(0o777), "other users may change"),
    "a gateway key that others can change": (lambda one: one.gateway_key.chmod(0o666), "other users may change"),
    "one of two gateway keys": (second_key, "second.pub"),
    "a link in a folder of everybody": (
        lambda one: (moved(one, "links"), (one.folder / "links").chmod(0o707)), "/links"
    ),
    "a link into a folder of everybody": (lambda one: (moved(one, "links"), one.keys.chmod(0o770)), "/keys"),
    "a folder above": (lambda one: one.folder.chmod(0o777), "other users may change"),
    "authorities that others can change": (lambda one: authorities(one).chmod(0o646), "cacert.pem"),
    "authorities in a folder of everybody": (lambda one: authorities(one).parent.chmod(0o722), "mine"),
    "settings that others can read": (lambda one: one.save().chmod(0o644), "settings.env"),
    "settings that others can change": (lambda one: one.save().chmod(0o602), "settings.env"),
    "a ledger that others can read": (lambda one: one.ledger.chmod(0o604), "shop.db"),
    "a ledger that its group can change": (lambda one: one.ledger.chmod(0o620), "shop.db"),
    "no ledger": (lambda one: one.ledger.unlink(), "there is no ledger"),
    "a webhook that failed": (lambda one: (one.app(), one.tell(handled=True)), "failed notifications: 1"),
    "a webhook that had no handler": (lambda one: (one.app(), one.tell(handled=False)), "unhandled notifications: 1"),
    "nobody follows": (lambda one: (one.app(), one.open_item()), "due ten minutes ago, and nobody asked: 1"),
    "items at a former address": (lambda one: one.open_item("http://127.0.0.1:1"), "at http://127.0.0.1:1: 1 waiting"),
    "a receiver's items at a former address": (
        lambda one: (one.app(), one.open_item("http://127.0.0.1:1")), "1 waiting"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MENDED)
def test_what_it_prints_mends_a_broken_installation(
    name: str, tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, says = MENDED[name]
    installation = Installation(tmp_path, sandbox)
    broken(installation)
    code, said = installation.look(capsys)
    assert (code, says in said) == (1, True), said
    (command,) = advised(said)
    assert ends(installation, command) == 0
    code, said = installation.look(capsys)
    assert (code, said.endswith("nothing is wrong\n")) == (0, True), said


def damaged(installation: Installation) -> None:
    raw = bytearray(installation.ledger.read_bytes())
    raw[4 * 4096 : 5 * 4096] = bytes(4096)
    installation.ledger.write_bytes(raw)


NAMED: dict[str, tuple[Do, str]] = {
    # what no command can know how to mend: how it is broken, and what is said
    "no address": (lambda one: one.unset("base_url"), "PAYWRIGHT_BASE_URL"),
    "a misspelled name": (lambda one: one.set(base_ulr="x"), "PAYWRIGHT_BASE_URL"),
    "a timeout that is no number": (lambda one: one.set(timeout="soon"), "PAYWRIGHT_TIMEOUT is not a number"),
    "a fraction of a retry": (lambda one: one.set(retries="2.5"), "settings: Nothing was sent: PAYWRIGHT_RETRIES is how often"),
    "a key that is not there": (lambda one: one.set(private_key_file="gone.key"), "gone.key"),
    "a key in place of its file": (lambda one: one.set(private_key_file="MII" + "secret" * 50), "(a long name)"),
    "a file that is no key": (lambda one: one.set(private_key_file=one.write("a.key", "hello")), "a.key: The private key cannot"),
    "a public key for one's own": (
        lambda one: one.set(private_key_file=one.write("public.key", OTHER.public_pem)), "this is a public key"
    ),
    "one's own public key for the gateway's": (
        lambda one: one.set(
            private_key_file=one.write("own.key", OTHER.private_pem),
            gateway_key_files=one.write("own.pub", OTHER.public_pem),
        ),
        "your own",
    ),
    "another gateway's key": (
        lambda one: one.set(gateway_key_files=one.write("other.pub", OTHER.public_pem)),
        "the gateway key is not the right one",
    ),
    "a key that is not registered": (
        lambda one: one.set(private_key_file=one.write("own.key", OTHER.private_pem)), "call again.\n      do: paywright docs signatures"
    ),
    "an app that the gateway does not know": (lambda one: one.set(app_id="app_of_others"), "MERCHANT_APP_INVALID"),
    "nothing at the address": (lambda one: one.set(base_url=f"http://127.0.0.1:{lasting_port()}"), "refused"),
    "another path": (lambda one: one.set(base_url=one.env["PAYWRIGHT_BASE_URL"] + "/api"), "not 200"),
    "https where there is none": (
        lambda one: one.set(base_url=one.env["PAYWRIGHT_BASE_URL"].replace("http:", "https:")), "TLS"
    ),
    "a proxy that is not there": (
        lambda one: one.set(proxy=f"http://me:secret@127.0.0.1:{lasting_port()}"), "the proxy 127.0.0.1:"
    ),
    "a damaged ledger": (damaged, "It is damaged"),
    "a folder for a ledger": (lambda one: one.options.__setitem__(1, ""), "'' is no file"),
    "a webhook that failed": (lambda one: one.tell(handled=True), "failed notifications: 1"),
    "nobody follows": (lambda one: one.open_item(), "due ten minutes ago, and nobody asked: 1; with --receiver"),
    "a person decides": (
        lambda one: (one.open_item(), one.sql("UPDATE paywright_items SET step = 'decide', due_at = NULL")),
        "waiting for a person: 1",
    ),
    "no endpoint": (
        lambda one: one.options.extend(["--endpoint", f"http://127.0.0.1:{lasting_port()}/"]), "no connection"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_what_no_command_mends_is_named_and_shown_by_the_one_that_it_prints(
    name: str, tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, says = NAMED[name]
    installation = Installation(tmp_path, sandbox)
    broken(installation)
    code, said = installation.look(capsys)
    assert (code, says in said, "secret" in said) == (1, True, False), said
    for command in advised(said):
        assert main(shlex.split(command)[1:]) == ("report" in command), capsys.readouterr().err
    assert advised(said)
    assert name != "another path" or "paywright docs settings" in advised(said)


def test_a_groups_right_is_noted_and_a_read_only_mount_let_be(
    tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    installation = Installation(tmp_path, sandbox)
    installation.key.chmod(0o440)
    code, said = installation.look(capsys)
    assert (code, "note  files: the users of its group may read" in said) == (0, True), said
    installation.keys.chmod(0o777)
    installation.key.chmod(0o444)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    code, said = installation.look(capsys)
    assert (code, advised(said)) == (1, ["paywright docs go-live"])


@pytest.mark.parametrize(
    ("said", "path", "status", "body"),
    [
        ("ok    endpoint: a receiver is there", "/n?token=t&x=1", 401, b'{"code":"UNSIGNED","msg":"no"}'),
        ("NO    endpoint", "/", 401, b"Authorization Required"),
        ("401, code INVALID;", "/", 401, b'{"code":"INVALID"}'),
        ("got: 200, code SUCCESS;", "/", 200, b'{"code":"SUCCESS"}'),
        ("got: 404, nothing in it;", "/", 404, b""),
    ],
)
def test_an_endpoint_is_sound_when_a_receiver_answers_the_address_as_it_was_given(
    said: str, path: str, status: int, body: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    with serving(lambda request: (asked.append(request[1]), (status, {}, body))[1]) as (address, _):  # type: ignore[func-returns-value]  # it is noted
        main(["doctor", "--endpoint", address + path])
    assert said in capsys.readouterr().out
    assert asked == [path]


def test_an_endpoint_that_answers_slowly_has_a_deadline_for_all_of_it() -> None:
    with Server(repeating(b"HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\n", b" ", 0.2)) as server:
        found = doctor.endpoint(_destination(server.url), seconds=0.2)
    assert "got: no answer (" in found.seen
    assert "no whole answer within 0.2 seconds" in found.seen


@pytest.mark.parametrize(
    "address",
    ["shop.example/x", "ftp://shop.example", "https://me:secret@shop.example/x", "https://shop.example:x", "http:/"],
)
def test_what_is_no_address_is_refused_at_once(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--endpoint", address])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, "is not a plain http:// or https:// URL" in err) == (2, "", True)
    assert "secret" not in err


@pytest.mark.parametrize("dates", [("garbage",), (), ("Sun, 06 Nov 1994 08:49:37",) * 2], ids=str)
def test_no_date_ends_it(dates: tuple[str, ...], made_once: Path) -> None:
    """A header that is not signed, and that every proxy may write."""
    with in_process_sandbox(made_once) as sandbox:

        class Dated:
            def __init__(self, inner: Transport) -> None:
                self.close = inner.close
                self._inner = inner

            def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
                answer = self._inner.send(request, deadline)
                kept = [one for one in answer.headers if one[0] != "date"]
                answer.headers = [*kept, *(("Date", date) for date in dates)]
                return answer

        with Client.from_env(sandbox.env, transport=Dated(InProcessTransport(sandbox.engine))) as client:
            gateway, clock = doctor.gateway(client)
    assert (gateway.state, clock.part) == ("ok", "clock")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://u:se%40cret@db:5/shop?sslmode=require", "postgresql://u@db:5/shop?sslmode=require"),
        ("postgresql://db/shop?user=u&password=a%20secret&port=5", "postgresql://db/shop?user=u&port=5"),
        (r"password = 'a \'secret' host=db password=a\ secret sslpassword=secret&x user=u", "host=db user=u"),
        ("postgresql:///shop", "postgresql:///shop"),
        ("mariadb://u:se%40cret@db/shop?unix_socket=/s", "mariadb://u@db/shop?unix_socket=/s"),
        ("shop@secret.db", "shop@secret.db"),
    ],
)
def test_an_address_is_printed_without_its_password(address: str, shown: str) -> None:
    options = named(Namespace(receiver=None, ledger=address, schema=None, env=None))
    assert shlex.split(options) == ["--ledger", shown]


@pytest.mark.slow
def test_commands_hide_the_login(tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("psycopg")
    from paywright_receiver import PostgresLedger
    from tests.receiver.helpers.postgres_server import running_postgres

    installation = Installation(tmp_path, sandbox)
    with running_postgres() as server:
        address = f"password=secret {server.conninfo()}"
        with closing(PostgresLedger(address)) as ledger:
            installation.tell(ledger, handled=True)
        server.ask("UPDATE paywright_notifications SET first_at = 0")
        installation.options = ["--ledger", address]
        code, said = installation.look(capsys)
        assert (code, "secret" in said) == (1, False), said
        assert [ends(installation, command) for command in advised(said)] == [0]


def test_a_clock_that_is_wrong_is_named_with_its_distance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop").mkdir()
    ahead = FixedClock(datetime.now(UTC) + timedelta(hours=1))
    with running_sandbox(tmp_path / "gateway", wall=ahead) as running:
        code, said = Installation(tmp_path / "shop", running).look(capsys)
    assert (code, "REQ_TIME_OVER_TIME" in said, "clock" in said) == (1, True, True), said


def test_findings_as_json_offline(tmp_path: Path, sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    installation = Installation(tmp_path, sandbox)
    installation.set(base_url=f"http://127.0.0.1:{lasting_port()}")
    code, said = installation.look(capsys, "--format", "json", "--offline")
    found = json.loads(said)
    assert (code, {one["part"] for one in found}) == (0, {"versions", "settings", "keys", "ledger", "items"})
    assert {one["state"] for one in found if one["part"] != "versions"} == {"ok"}


def test_a_package_that_is_too_old_isnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"cryptography": "2.0"}
    monkeypatch.setattr(doctor.metadata, "version", lambda name: old.get(name, "99.0"))
    (wrong,) = (one for one in doctor.packages() if one.state == "NO")
    assert wrong.seen.startswith("cryptography 2.0 is older than ")
    assert wrong.do.startswith("pip install 'cryptography>=")


@pytest.mark.parametrize(("version", "state"), [("42.0.0", "note"), ("46.0.7", "note"), ("47.0.0", "ok"), ("50.0.2", "ok")])  # fmt: skip
def test_a_cryptography_that_signs_alone_is_noted(version: str, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.metadata, "version", lambda name: version if name == "cryptography" else "99.0")
    (found,) = (one for one in doctor.packages() if one.seen.startswith("cryptography"))
    assert (found.state, ">=47" in found.do) == (state, state == "note")
