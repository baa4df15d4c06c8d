"""Which statements begin or end a transaction, read as PostgreSQL reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_receiver.ledgers.sql.sql_text import controls_transaction

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

CONTROLS = [
    "COMMIT", "commit;", " \n\tCommit Work", "END", "end transaction", "ABORT", "ROLLBACK", "rollback work", "BEGIN",
    "START TRANSACTION READ WRITE", "PREPARE TRANSACTION 'x'", "COMMIT PREPARED 'x'", "ROLLBACK PREPARED 'x'",
    "COMMIT AND CHAIN", "ROLLBACK TRANSACTION AND NO CHAIN", ";;ROLLBACK", "SELECT 1;ROLLBACK", "SELECT ';'; END",
    "/* x */COMMIT", "/* /* */ SELECT */ COMMIT", "--SELECT\nCOMMIT", "-- TO\r ROLLBACK -- TO", "ROLLBACK/**/", "ROLLBACK --TO\n",
    "SELECT $$;$$;COMMIT", "SELECT $a$ $$ $a$;COMMIT", 'SELECT ";";COMMIT', "SELECT E'\\'';COMMIT", "SELECT 'a''b';COMMIT",
    "SELECT '\\';COMMIT", "SELECT (1);COMMIT", "SELECT a$$b FROM c;COMMIT", "SAVEPOINT x; ROLLBACK TO x; ROLLBACK",
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; COMMIT",
    "SELECT 1; ROLLBACK; INSERT INTO t VALUES (1); COMMIT", "SELECT E'a'\n'\\'';COMMIT",
    "SELECT 5 % 2 & 1; COMMIT", "SELECT 5 # 2 ! 1 + 2 * 3, 4 <> 5 ; COMMIT", "SELECT ((1) + 2); COMMIT", "SELECT 1)); COMMIT",
]  # fmt: skip
OTHERS = [
    "", ";", "SELECT 1", "ROLLBACK TO x", "rollback work to savepoint x", "ROLLBACK TRANSACTION TO x", "SAVEPOINT x",
    "RELEASE x", "SELECT 'COMMIT'", "SELECT ';COMMIT'", "SELECT $$;COMMIT;$$", "SELECT $a$;COMMIT$$;END$a$", 'SELECT ";COMMIT"',
    "/*;COMMIT*/SELECT 1", "/* /* */ ;COMMIT */ SELECT 1", "SELECT 1 --;COMMIT", "SELECT E'\\';COMMIT'", "SELECT commit FROM t",
    "PREPARE transaction_of AS SELECT 1", "PREPARE x AS SELECT 1", "INSERT INTO begin_ VALUES (1)", "endless", "SELECT 1 AS end",
    "UPDATE t SET a = CASE WHEN b THEN 1 ELSE 2 END", "DO $$ BEGIN COMMIT; END $$", "SELECT $1; SELECT $2",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END",
    "CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM a; DELETE FROM b)", "SELECT E'a'\n'\\';COMMIT'",
    "SELECT ((1); COMMIT)", "SELECT (5 % 2; COMMIT)",
    "SET TRANSACTION READ ONLY", "LOCK TABLE t", "COPY t FROM STDIN", "SELECT 'unended;COMMIT", "SELECT $$;COMMIT", "/* ;COMMIT",
]  # fmt: skip


@pytest.mark.parametrize("text", CONTROLS)
def test_what_begins_or_ends_a_transaction(text: str) -> None:
    assert controls_transaction(text)


@pytest.mark.parametrize("text", OTHERS)
def test_what_does_not(text: str) -> None:
    assert not controls_transaction(text)


def test_where_backslashes_escape_in_plain_strings() -> None:
    assert controls_transaction("SELECT '\\';COMMIT")
    assert not controls_transaction("SELECT '\\';COMMIT'", backslashes=True)
    assert controls_transaction("SELECT '\\'';COMMIT", backslashes=True)
    assert not controls_transaction("SELECT '\\'';COMMIT")


PIECES = st.sampled_from(
    ["COMMIT", "ROLLBACK", "END", "TO", "x", ";", "'", '"', "$$", "$a$", "/*", "*/", "--", "\n", " ", "(", ")", "E'", "\\",
     "SELECT", "CREATE", "BEGIN", "ATOMIC", "1", ",", "é", "SAVEPOINT"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert controls_transaction(text) in (True, False)


@pytest.mark.slow
def test_what_is_let_through_leaves_no_transaction(postgres: Server) -> None:
    """The server is asked: texts that are let through, and many that are put together of pieces, never end one."""
    import random

    import psycopg
    from psycopg.pq import TransactionStatus

    pieces = ["COMMIT", "ROLLBACK", "END", "SELECT 1", "SELECT 'a'", "SAVEPOINT x", "ROLLBACK TO x", ";", "; ", "'", "$$",
              "$a$", "/*", "*/", "--", "\n", " ", "E'", "\\", '"', "(", ")", "VALUES (';')", "DO $$ BEGIN NULL; END $$"]  # fmt: skip
    drawn = random.Random(1)
    texts = CONTROLS + OTHERS + ["".join(drawn.choices(pieces, k=drawn.randint(1, 9))) for _ in range(4000)]
    ended = 0
    with psycopg.connect(postgres.conninfo(), autocommit=True) as db:
        for text in texts:
            db.pgconn.exec_(b"BEGIN")
            db.pgconn.exec_(text.encode())
            left = db.info.transaction_status == TransactionStatus.IDLE
            db.pgconn.exec_(b"ROLLBACK")
            ended += left
            assert not left or controls_transaction(text), text
    assert ended > 50
