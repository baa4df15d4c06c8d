"""Sessions of MariaDB, and the branches of transactions in which handlers write (XA).

In a branch the server refuses COMMIT, ROLLBACK, BEGIN and every statement that would commit by itself, such as ALTER TABLE.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil
from typing import Any, Final, NoReturn, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import pymysql
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from paywright_receiver.items.ledger import Executed, Transaction
from paywright_receiver.ledgers.sql.pool import in_transaction
from paywright_receiver.ledgers.sql.sql_database import ENDED, FORKED, OVER, TRIED
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.transport.connection import Ready

_ACTIVE, WAITED = 1399, 1205
GONE: Final = (1397, 1398, _ACTIVE, 1402, 1613, 1614)
"""Codes of a branch that the server has ended, as after a deadlock, or that another session has."""
# The driver's messages may contain values, names and addresses.
_WORDS: Final = {
    1040: "too many connections", 1044: "access denied", 1045: "access denied", 1049: "there is no such database", 1153: "max_allowed_packet",
    WAITED: "lock wait timeout", 1213: "deadlock", 1290: "read only", 1665: "binlog_format is STATEMENT, and has to be ROW or MIXED",
    2003: "no answer", 2006: "lost connection", 2013: "lost connection",
}  # fmt: skip
_OPTIONS: Final = {
    "read_default_file", "read_default_group", "ssl_ca", "ssl_cert", "ssl_key", "ssl_verify_cert", "ssl_verify_identity", "unix_socket",
}  # fmt: skip
_SETTINGS: Final = (
    "SET SESSION autocommit = 1, completion_type = 0, tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = {0}, "
    "lock_wait_timeout = {0}, idle_transaction_timeout = 0, "
    "sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION'"
)
_RESET: Final = 0x1F
_PLACE: Final = "SELECT DATABASE(), CURRENT_ROLE()"


class _HandlerConnection(Connection):
    """The connection that a handler has: another object for a session, until the handler has returned."""

    tried: bool = False
    _process: int = 0

    def execute(self, statement: str, parameters: object = None, /) -> Cursor:
        """Run a statement with its parameters, and return its cursor."""
        return run(self.cursor(), statement, parameters)

    def _execute_command(self, *values: object) -> None:
        if self._process != os.getpid():
            raise pymysql.InterfaceError(f"Nothing was sent: {FORKED}.")
        if not self.open:
            raise pymysql.InterfaceError(f"Nothing was sent: {OVER}.")
        cast(Any, super())._execute_command(*values)  # which its types leave out

    def _read_packet(self, *values: Any, **named: Any) -> Any:
        try:
            return cast(Any, super())._read_packet(*values, **named)
        except pymysql.OperationalError as error:
            self.tried = self.tried or (code_of(error) == _ACTIVE and "ACTIVE" in str(error))
            raise

    def _refused(self, *values: object, **named: object) -> NoReturn:
        self.tried = True
        raise pymysql.ProgrammingError(f"Nothing was sent: {TRIED if self.open else OVER}. Savepoints are allowed.")

    begin = commit = connect = rollback = _refused

    def close(self) -> None:
        """Refuse to close the session; when the handler has returned, it has none."""
        if self.open:
            self._refused()


class Session:
    """A session, and the transaction in it: a plain one, or a branch with a name, which is committed in two phases."""

    def __init__(self, db: Any, timeout: float, owner: object, *, ours: bool) -> None:
        if db.server_status & 1:
            raise in_transaction()
        self._db = db
        self.owner: object = owner  # the ledger's id, by which others know what to commit
        self._branch = ""
        self._undo: Sequence[str] = ()  # what ends the transaction, unless it ends well
        self._given: Any = None  # the object that a handler has
        self.is_used: bool = False  # by a handler, whose settings and the like may be left in it
        self._settings = _SETTINGS.format(ceil(timeout))
        db.set_character_set("utf8mb4")
        self.execute(self._settings)
        self._place = self.execute(_PLACE).fetchone() if ours else None
        if owner is not None:
            self._recover()

    def _recover(self) -> None:
        """Commit what a process had prepared when it died, or its server did: its records are done in it."""
        for *_, name in self.execute("XA RECOVER FORMAT='SQL'").fetchall():
            if str(name).startswith(f"'paywright {self.owner}',"):
                try:
                    self.execute(f"XA COMMIT {name}")
                except pymysql.Error as error:  # its session still lives, or another process was faster
                    if code_of(error) not in GONE:
                        raise

    def execute(self, statement: str, parameters: Sequence[object] = (), /) -> Executed:
        """Run a statement with its parameters."""
        return cast(Executed, run(self._db.cursor(Cursor), statement, parameters))

    @property
    def is_usable(self) -> bool:
        """Return whether it is open, as far as the server has said, and in no transaction."""
        return bool(self._db.open) and not self._undo and not Ready(self._db._sock).wait(0.0)

    def begin(self, *, apart: bool, idle: int) -> None:
        """Begin a transaction, with `apart` in a branch. The server ends it when it has been `idle` for that many seconds."""
        self.is_used = apart
        if idle:
            self.execute(f"SET SESSION idle_transaction_timeout = {idle}")
        branch = f"'paywright {self.owner}','{os.urandom(12).hex()}'" if apart else ""
        self.execute(f"XA START {branch}" if branch else "START TRANSACTION")
        self._branch, self._undo = branch, (f"XA END {branch}", f"XA ROLLBACK {branch}") if branch else ("ROLLBACK",)

    def commit(self) -> None:
        """Commit. A branch whose answer is lost once it is prepared is committed by the next session that looks for it."""
        if self._branch:
            self.execute(f"XA END {self._branch}")
            self.execute(f"XA PREPARE {self._branch}")
            self._undo = (f"XA COMMIT {self._branch}",)
            self.execute(*self._undo)  # in ONE PHASE it may be undone by half by a crash of the server
        else:
            self._db.commit()
        self._undo = ()

    def hand_over(self) -> Transaction:
        """Make the object that a handler gets."""
        self._given = made = _HandlerConnection.__new__(_HandlerConnection)
        apart = {"encoders": dict(self._db.encoders), "decoders": dict(self._db.decoders), "_process": os.getpid()}
        made.__dict__.update(self._db.__dict__, **apart)
        return cast(Transaction, made)

    def take_back(self, *, tried: bool = False) -> str:
        """Take the session from the handler's object. Return why the transaction has ended, or if `tried` counts, was to end."""
        given, self._given = self._given, None
        if given is not None:
            self._db._result = given._result
            if given._result is not None:
                given._result.connection = self._db  # which goes on reading what the handler has left
            if not given.open:
                self._db._force_close()
            given._sock = given._rfile = None
        return TRIED if tried and given is not None and given.tried else "" if self._db.open else ENDED

    def clean(self) -> None:
        """Remove what a handler has left in the session. Close one of the merchant's function, whose settings that would undo."""
        with suppress(pymysql.Error):
            self._db._execute_command(_RESET, "")  # which keeps database and role
            self._db._read_ok_packet()
            self.execute(self._settings)
            self.is_used = self.execute(_PLACE).fetchone() != self._place
        if self.is_used:
            self.close()

    def close(self) -> None:
        """Roll back, unless it is prepared, and close."""
        self.take_back()
        for one in self._undo:
            with suppress(pymysql.Error, AttributeError, ValueError):
                self.execute(one)
        self._undo = ()
        with suppress(pymysql.Error):
            self._db.close()


def opener(address: str, timeout: float) -> Callable[[], Connection[Any]]:
    """Return a function that opens connections to `mariadb://USER:PASSWORD@HOST:PORT/DATABASE`."""
    seconds = max(2, ceil(timeout))
    with suppress(ValueError):  # whose message may contain a password
        found = urlsplit(address)
        given = dict(parse_qsl(found.query, strict_parsing=bool(found.query)))
        settings: dict[str, Any] = {
            "connect_timeout": seconds,
            "read_timeout": seconds,
            "host": found.hostname,
            "port": found.port or 0,
            "user": found.username and unquote(found.username),
            "password": unquote(found.password or ""),
            "database": unquote(found.path[1:]) or None,
            # The driver would load the system's certificates for each connection.
            "ssl_disabled": "unix_socket" in given and not any(one.startswith("ssl") for one in given),
            **{one: text in ("1", "true") if one.startswith("ssl_verify") else text for one, text in given.items()},
        }

        def connect() -> Connection[Any]:
            db = pymysql.connect(charset="utf8mb4", autocommit=True, program_name="paywright", **settings)
            cast(Any, db)._read_timeout = None  # a handler may ask for what takes long
            return db

        if found.scheme.partition("+")[0] in ("mariadb", "mysql") and given.keys() <= _OPTIONS:
            return connect
    raise ConfigurationError(
        "MariaDbLedger was given an address that cannot be read: mariadb://USER:PASSWORD@HOST:PORT/DATABASE, or with "
        "?unix_socket=PATH."
    )


def run(cursor: Cursor, statement: str, parameters: Any) -> Cursor:
    """Run a statement, and return its cursor."""
    cursor.execute(statement, parameters)
    return cursor


def code_of(error: BaseException | None) -> int:
    """Return the number of a driver's error; -1 if it has none."""
    code = error.args[0] if error is not None and error.args else -1
    return code if isinstance(code, int) else -1


def words_of(error: BaseException) -> str:
    """Return what to say of an error of any driver; "" for one that is of none. Its message is not passed on."""
    if not any(one.__name__ == "Error" for one in type(error).__mro__):  # the base that all drivers have [PEP 249]
        return ""
    code = code_of(error)
    number, word = f", error {code}" if code > 0 else "", f": {_WORDS[code]}" if code in _WORDS else ""
    return f"{type(error).__name__}{number}{word}"
