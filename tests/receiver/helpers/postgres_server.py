"""A real PostgreSQL server for the tests: in a folder of its own, on a socket in it, stopped at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from paywright_receiver.ledgers.postgres import PostgresLedger
from tests.receiver.helpers.timed_ledger import age

_USERS = ("postgres", "nobody")


def programs() -> Path | None:
    """The folder of the server's programs, or None where it is not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in folders if (one / "initdb").exists() and (one / "postgres").exists()), None)


class Server:
    """A server that can be stopped, killed and started again."""

    def __init__(self, folder: Path, bin_: Path, user: pwd.struct_passwd | None) -> None:
        self.folder = folder
        self._bin = bin_
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def conninfo(self, database: str = "postgres") -> str:
        return f"host={self.folder} user=paywright dbname={database}"

    def ask(self, query: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """What a statement of its own, outside of a transaction, finds."""
        with psycopg.connect(self.conninfo(database), autocommit=True) as db:
            found = db.execute(query.encode())
            return found.fetchall() if found.description else []

    address = conninfo

    def ledger(self, name: str, **settings: Any) -> TimedLedger:
        """The ledger in a schema, which is made."""
        self.ask(f"CREATE SCHEMA IF NOT EXISTS {name}")
        return TimedLedger(self, name, **settings)

    def _started(self, *command: str | Path) -> subprocess.Popen[bytes]:
        user, env = self._user, {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
        with (self.folder / "log").open("ab") as log:
            if user is None:
                return subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log)
            return subprocess.Popen(
                command, cwd=self.folder, env=env, stdout=log, stderr=log, user=user.pw_uid, group=user.pw_gid,
                extra_groups=[],
            )  # fmt: skip

    def make(self) -> None:
        made = self._started(
            self._bin / "initdb", "-D", self.folder / "data", "-U", "paywright", "-A", "trust", "-E", "UTF8",
            "--locale=C", "--no-sync",
        )  # fmt: skip
        assert made.wait(120) == 0, (self.folder / "log").read_text()

    def start(self) -> None:
        self._process = self._started(
            self._bin / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses="
        )
        until = time.monotonic() + 600
        while True:
            try:
                psycopg.connect(self.conninfo()).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is an orderly end without waiting for clients; SIGQUIT is a crash, after which it recovers."""
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(30)
            self._process = None


class TimedLedger(PostgresLedger):
    """A ledger in this server whose records age."""

    def __init__(self, server: Server, schema: str, **settings: Any) -> None:
        super().__init__(server.conninfo(), schema=schema, **settings)
        self._server = server
        self._named = schema

    def pass_time(self, by: timedelta) -> None:
        self.prepare()
        age(by, self._named, self._server.ask)


@contextmanager
def running_postgres() -> Iterator[Server]:
    """Skips the test where there is no server. One refuses to be run by root: root runs it as somebody else."""
    bin_ = programs()
    if bin_ is None:
        pytest.skip("PostgreSQL's server is not installed: neither on PATH nor in /usr/lib/postgresql")
    user = next((pwd.getpwnam(name) for name in _USERS if _known(name)), None) if os.geteuid() == 0 else None
    # Short, for the name of a socket is, and reachable for anyone. In memory, if there is such a place: no disk is tested here.
    home = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="paywright-pg-", dir=home))
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        server = Server(folder, bin_, user)
        try:
            server.make()
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _known(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
