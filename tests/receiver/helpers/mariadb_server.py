"""A real MariaDB server for the tests: in a folder of its own, on a socket in it, stopped at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pymysql
import pytest

from paywright_receiver.ledgers.mariadb import MariaDbLedger
from tests.receiver.helpers.timed_ledger import age

_OPTIONS = (
    "--no-defaults", "--skip-networking", "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M", "--log-bin=binlog",
    "--performance-schema=OFF", "--innodb-fast-shutdown=2", "--max-connections=200",
)  # fmt: skip


class Server:
    """A server that can be stopped, killed and started again."""

    def __init__(self, folder: Path, program: str, *options: str) -> None:
        self.folder = folder
        self._program = program
        self._options = (*_OPTIONS, *options)
        self._user = ("--user=mysql",) if os.geteuid() == 0 else ()
        self._process: subprocess.Popen[bytes] | None = None

    def address(self, database: str = "", **more: str) -> str:
        words = "&".join(f"{name}={value}" for name, value in {"unix_socket": f"{self.folder}/socket", **more}.items())
        return f"mariadb://root@localhost/{database}?{words}"

    def connect(self, database: str | None = None, **more: Any) -> Any:
        usual = {"unix_socket": f"{self.folder}/socket", "user": "root", "autocommit": True}
        usual["ssl_disabled"] = True  # the driver would load the system's certificates each time
        given = {**usual, "database": database, **more}
        return pymysql.connect(**given)

    def ask(self, query: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """What a statement of its own, outside of a transaction, finds."""
        with closing(self.connect(database)) as db, db.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def ledger(self, name: str, **settings: Any) -> TimedLedger:
        """The ledger in a database, which is made."""
        self.ask(f"CREATE SCHEMA IF NOT EXISTS {name}")
        return TimedLedger(self, name, **settings)

    def make(self) -> None:
        made = subprocess.run(
            ["mariadb-install-db", "--no-defaults", *self._user, f"--datadir={self.folder}/data", "--skip-test-db",
             "--auth-root-authentication-method=normal"],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr

    def start(self) -> None:
        places = (f"--datadir={self.folder}/data", f"--socket={self.folder}/socket", f"--pid-file={self.folder}/pid")
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *self._options, *self._user, *places], stdout=log, stderr=log
            )
        until = time.monotonic() + 120
        while True:
            try:
                self.connect().close()
                return
            except pymysql.Error:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        """SIGKILL is a crash, after which it recovers; SIGTERM an orderly end."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None


class TimedLedger(MariaDbLedger):
    """A ledger in this server whose records age."""

    def __init__(self, server: Server, name: str, **settings: Any) -> None:
        super().__init__(server.address(name), **settings)
        self._server = server
        self._named = name

    def pass_time(self, by: timedelta) -> None:
        self.prepare()
        age(by, self._named, self._server.ask)


@contextmanager
def running_mariadb(*options: str) -> Iterator[Server]:
    """Skips the test where there is no server."""
    program = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin:/usr/libexec")
    if program is None or shutil.which("mariadb-install-db") is None:
        pytest.skip("MariaDB's server is not installed: apt-get install mariadb-server")
    # Short, for the name of a socket is. In memory, if there is such a place: no disk is tested here.
    home = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="paywright-maria-", dir=home))
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("mysql")
            os.chown(folder, user.pw_uid, user.pw_gid)
        server = Server(folder, program, *options)
        try:
            server.make()
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
