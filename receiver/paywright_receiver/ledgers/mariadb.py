"""The ledger in MariaDB: for processes on several machines, beside the tables of your handlers.

It takes the steps of a SQLite file. Claims of one subject wait for each other, by the lock of a row; others learn of a handler
`in_one_transaction` that it is in progress. A handler writes in a branch of a distributed transaction, which only the ledger can end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from time import monotonic
from types import SimpleNamespace
from typing import Any, Final, cast

from pymysql.connections import Connection

from paywright_receiver.items.ledger import ClaimRequest, Transaction
from paywright_receiver.ledgers.mariadb_connections import GONE, WAITED, Session, code_of, opener, run, words_of
from paywright_receiver.ledgers.sql.delivery_claims import SqlClaim
from paywright_receiver.ledgers.sql.dialect import Dialect
from paywright_receiver.ledgers.sql.pool import OwnPool
from paywright_receiver.ledgers.sql.server_ledger import ServerLedger
from paywright_receiver.ledgers.sql.sql_database import ENDED, Collision
from paywright_receiver.ledgers.sql.statements import Statements, check_tables
from paywright_runtime.errors import LedgerProblem
from paywright_runtime.tracebacks import strip_frames

_LOCKS: Final = 4096
_LOCK_TABLE: Final = """
CREATE TABLE IF NOT EXISTS {l} (number SMALLINT UNSIGNED PRIMARY KEY);
INSERT IGNORE INTO {l} WITH RECURSIVE one (digit) AS (SELECT 0 UNION ALL SELECT digit + 1 FROM one WHERE digit < 63)
SELECT one.digit * 64 + two.digit FROM one, one AS two;
"""
"""Makes the rows whose locks keep claims of one subject apart: there is none before the first, and nobody waits for a gap."""
_LOST: Final = (0, 1927, 2006, 2013)
_COLLISIONS: Final[dict[int, Collision]] = {1020: "undone", 1213: "undone", WAITED: "held"}
_PACKET_REST: Final = 65_536


class _MariaDb(Dialect):
    """Its words. Texts differ if any character does: by most collations two keys would be one."""

    def finish(self, statement: str) -> str:
        if statement.startswith("CREATE TABLE"):
            statement += " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin"
        elif statement.startswith("CREATE INDEX"):
            # Of all rows. The primary key is in each, and would be too long twice.
            statement = re.sub(r"(, step|, app_id, kind, number)?\)( WHERE .*)?$", ")", statement)
        return re.sub(r"\bkey\b", "`key`", super().finish(statement))

    def joined(self, text: str, more: str) -> str:
        return f"CONCAT({text}, {more})"

    def upsert(
        self, table: str, columns: str, values: str, keys: str, changes: Mapping[str, str], when: str = ""
    ) -> str:
        # `when` is asked once: VALUES(x) of a LONGTEXT is no more what was given when x was assigned
        first = next(iter(changes))
        asked = {**dict.fromkeys(changes, f"{first} = excluded.{first}"), first: when}
        values_of = {one: f"IF({asked[one]}, {to}, {one})" if when else to for one, to in changes.items()}
        set_ = ", ".join(f"{one} = {to}" for one, to in values_of.items())
        there = re.sub(r"\bexcluded\.(\w+)", r"VALUES(\1)", set_).replace("there.", "")
        return f"INSERT INTO {table} ({columns}) VALUES ({values}) ON DUPLICATE KEY UPDATE {there}"

    def after(self, columns: Sequence[str]) -> tuple[str, Sequence[int]]:
        # A comparison of rows would read all rows before the place too.
        places = range(len(columns))
        each = (" AND ".join([*(f"{one} = ?" for one in columns[:at]), f"{columns[at]} > ?"]) for at in places)
        return f"({' OR '.join(each)})", [value for at in places for value in range(at + 1)]


_DIALECT: Final = _MariaDb(
    mark="%s",
    quote="`",
    longest=255,  # three such columns fit into an index
    indexed="VARCHAR(255)",
    text="LONGTEXT",
    bytes="LONGBLOB",
    lock=" FOR UPDATE",
    # Of the begin of a statement: one that waits for a lock does not read it.
    clock="TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
    random="REPLACE(UUID(), '-', '')",
    ended="ended_at",
    columns=", ended_at BIGINT AS (COALESCE(handled_at, settled_at)) PERSISTENT",
    before=_LOCK_TABLE,
)


class _Claim(SqlClaim["MariaDbLedger", Session]):
    def _begun(self, idle: int | None) -> Session:
        return self._ledger.begin(apart=idle is not None, idle=-(-(idle or 0) // 1_000_000))

    def _hand_over(self) -> Transaction:
        return self._session.hand_over()

    def _ended_by(self, error: Exception) -> str:
        return ENDED if code_of(error) in GONE else ""

    def _spoilt(self, *, tried: bool = True) -> str:
        return "" if self._db is None else self._db.take_back(tried=tried)


class MariaDbLedger(ServerLedger):
    """A ledger in a MariaDB database, 10.6 or later, in tables of InnoDB.

    Use the one of your own tables, which have to be of InnoDB too: then a handler writes to both in one transaction.

    Args:
        connections: an address such as "mariadb://shop:PASSWORD@localhost/shop", with `?unix_socket=PATH` or `ssl_ca=PATH` behind
            it if need be, or a function that opens a new connection (`lambda: pymysql.connect(...)`).
        timeout: seconds to wait for a connection, for other claims of the same subject, and for locks, before `LedgerProblem`.
        most: maximum number of open connections. Every handler that writes uses one.

    `prepare`, or the first delivery, makes the tables. Methods that only read make nothing: before that, `list`, `counts` and
    the others raise `LedgerProblem`. A handler's transaction is READ COMMITTED, and every statement that would end it is refused. A
    commit is on disk if the server's `innodb_flush_log_at_trx_commit` is 1, as by default. A lost connection is replaced. The
    body of a notification is kept until it is done, unencrypted. It may contain personal data. After a fork the child opens
    connections of its own. Raises `LedgerProblem` if the database cannot be used.
    """

    _CLAIM = _Claim
    _DIALECT = _DIALECT
    _DRIVER = (lambda one: hasattr(one, "ping"), "connection of PyMySQL or mysqlclient")
    _words = staticmethod(words_of)

    @strip_frames
    def __init__(
        self, connections: str | Callable[[], Connection[Any]], *, timeout: float = 10.0, most: int = 8
    ) -> None:
        super().__init__(timeout, most)
        self._connect = opener(connections, timeout) if isinstance(connections, str) else connections
        self._ours = isinstance(connections, str)
        self._pool = OwnPool(
            lambda: Session(self._connect(), timeout, self.id, ours=self._ours),
            most,
            # Whatever opens a session first commits what others have left. One that looked for the tables could not.
            lambda one: one.owner == self.id and one.is_usable,
        )

    def _fitting(self, request: ClaimRequest) -> ClaimRequest:
        if 2 * len(request.raw) + _PACKET_REST > self._packet:  # the connection would be lost
            raise LedgerProblem(
                f"A notification of {len(request.raw):,} bytes needs a max_allowed_packet of more than twice that; the ledger's server "
                f"has {self._packet:,}. Nothing was acknowledged: raise it, and the notification is sent again."
            )
        return super()._fitting(request)

    def _locked(self, db: Transaction, subject: str, *, at_once: bool = False) -> int:
        number = int.from_bytes(sha256(subject.encode()).digest()[:2]) % _LOCKS
        lock = f"SELECT 1 FROM {self._statements().place}paywright_locks WHERE number = %s FOR UPDATE"
        db.execute(f"{lock} NOWAIT" if at_once else lock, (number,))
        return self._now(db)

    def _collision(self, error: Exception) -> Collision | None:
        return _COLLISIONS.get(code_of(error))

    @staticmethod
    def tables(database: str) -> str:
        """Return the SQL that makes the tables, for a migration of your own."""
        return ";\n".join(Statements(_DIALECT, database).tables) + ";\n"

    def _checked(self, db: Transaction, make: bool) -> Statements:
        asked = "SELECT VERSION(), DATABASE(), @@max_allowed_packet"
        version, database, self._packet = cast("tuple[str, str | None, int]", db.execute(asked, ()).fetchone())
        clustered = db.execute("SHOW VARIABLES LIKE 'wsrep_on'", ()).fetchone() == ("wsrep_on", "ON")
        found = re.match(r"(\d+)\.(\d+).*MariaDB", version)
        if clustered or found is None or (int(found[1]), int(found[2])) < (10, 6):
            raise LedgerProblem(
                f"The ledger needs MariaDB 10.6 or later, without Galera, which has no XA. This is {version[:40]}."
            )
        if not database or "%" in database:  # % stands for a parameter in statements
            raise LedgerProblem("The address names no database that will do: it stands behind the last slash.")
        sql = Statements(_DIALECT, database)
        if make and db.execute("SELECT GET_LOCK('paywright tables', %s)", (self._timeout,)).fetchone() != (1,):
            raise LedgerProblem(
                "Another process makes the tables of a ledger, and takes long. Nothing was acknowledged."
            )
        asked = "SELECT table_name, engine FROM information_schema.tables WHERE table_schema = %s"
        there = {str(name): engine for name, engine in db.execute(asked, (database,)).fetchall()}
        check_tables(db, sql, there, f"the database {database}", make=make)
        if any(there.get(f"paywright_{one}", "InnoDB") != "InnoDB" for one in ("notifications", "items", "locks")):
            raise LedgerProblem("A table of the ledger is not of InnoDB, which alone has transactions.")
        self.id: object = cast("tuple[object]", db.execute(sql.id, ()).fetchone())[0]
        db.execute("SELECT RELEASE_LOCK('paywright tables')", ())
        return sql

    # Connections and transactions

    def _cursor(self, db: Any) -> Transaction:
        return cast(Transaction, SimpleNamespace(execute=partial(run, db.cursor())))

    def begin(self, *, apart: bool = False, idle: int = 0) -> Session:
        """Begin a transaction, with `apart` in a branch. A lost connection is replaced."""
        until = monotonic() + self._timeout
        while True:
            db: Session = self._pool.getconn(self._timeout)
            try:
                db.begin(apart=apart, idle=idle)
                return db
            except BaseException as error:
                self.end(db, ended=False, error=error)
                if code_of(error) not in _LOST or monotonic() > until:
                    raise

    def end(self, db: Session, *, ended: bool, error: BaseException | None = None) -> None:
        """Give a session back; close it if its transaction has not `ended`. After a wait for a lock, commit what holds it."""
        if not ended:
            db.close()
        elif db.is_used:
            db.clean()
        self._pool.putconn(db)
        if code_of(error) == WAITED:
            self.close()
            self._pool.putconn(self._pool.getconn(self._timeout))
