"""Select the few subjects whose rows may break a rule, in SQL. Only these are related row by row.

What is left out here can break none: a condition may select too much, never too little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sqlite3 import Cursor
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.rows import EXISTS, MADE, REFUSED
from paywright_audit.cross_exchange.subjects import PAID, REFUNDS, refund_window, states_of

__all__ = ["choose_subjects", "within"]


def within(column: str, families: Iterable[str]) -> str:
    """Return an SQL condition for the rows of some families."""
    parts = (f"{column} > '{family}' AND {column} < '{family}{chr(1)}'" for family in families)
    return f"({' OR '.join(parts) or 'FALSE'})"


def _ended_paid(family: str) -> str:
    """Return an SQL condition for the rows of a family whose state says that it is paid."""
    states = ", ".join(f"'{state}'" for state in CONTRACT.set(states_of(family) or "").paid)
    return f"({within('subject', (family,))} AND state IN ({states}))"


_THERE: Final = ", ".join(f"'{one}'" for one in EXISTS)
# Subjects that may break a rule about themselves.
_SUSPECTS: Final = f"""
INSERT INTO chosen SELECT subject, repeated, suspect FROM (
SELECT subject, {{repeated}} AS repeated,
    count(spelled) > 1
    OR min(CASE WHEN final = 1 THEN at END) <= max(CASE WHEN final = 0 THEN at END)
    OR min(CASE WHEN final = 1 THEN state END) <> max(CASE WHEN final = 1 THEN state END)
    OR max(CASE WHEN outcome = 'absent' THEN at END) >= min(CASE WHEN outcome IN ({_THERE}) THEN at END)
    OR (max(outcome = 'notified') AND (min(amount) <> max(amount) OR min(currency) <> max(currency)))
    OR (count(*) > 1 AND subject > 'external' AND subject < 'externam') AS suspect
FROM rows GROUP BY subject HAVING count(*) > 1 AND (repeated OR suspect))
"""
# Writes whose content was also sent under another key with unknown outcome.
_UNSURE: Final = """
INSERT INTO unsure SELECT content FROM rows WHERE content IN (SELECT content FROM rows WHERE outcome = 'unknown')
GROUP BY content HAVING min(subject) <> max(subject)
"""
_WINDOW: Final = min(filter(None, map(refund_window, CONTRACT.operations())), default=0)
_ENDED_PAID: Final = " OR ".join(map(_ended_paid, PAID)) or "FALSE"
_PLAIN: Final = "length({0}.amount) < 16 AND {0}.amount NOT GLOB '*[^0-9.]*'"  # what SQL compares exactly
# Payments whose refunds may break a rule. A single request breaks none that succeeded, in time and in the one currency, for no more
# than the least amount shown, if nothing shows that the payment ended unpaid.
_REFUNDED: Final = f"""
INSERT OR IGNORE INTO refunded SELECT ref FROM (
    SELECT ref, at, outcome, amount, currency, count(*) AS requests FROM rows
    WHERE {within("subject", REFUNDS)} AND spelled IS NOT NULL AND outcome <> '{REFUSED}' AND ref IS NOT NULL GROUP BY ref
) AS refund WHERE (requests = 1 AND outcome = '{MADE}' AND {_PLAIN.format("refund")} AND (
    SELECT min({_PLAIN.format("paid")}) AND CAST(refund.amount AS REAL) <= min(CAST(amount AS REAL))
        AND min(currency) = refund.currency AND max(currency) = refund.currency
        AND refund.at - min(at) <= {_WINDOW} AND (max(began) IS NULL OR refund.at - min(seconds(began)) <= {_WINDOW})
        AND max(final = 1 AND NOT ({_ENDED_PAID})) = 0
    FROM rows AS paid WHERE subject = refund.ref
)) IS NOT TRUE
UNION SELECT subject FROM rows WHERE {within("subject", PAID)}
    AND token IN (SELECT token FROM rows WHERE {within("subject", REFUNDS)} AND ref IS NULL)
"""
_CHOSEN: Final = (
    "INSERT OR IGNORE INTO chosen SELECT subject, 0, 0 FROM rows WHERE content IN (SELECT content FROM unsure)",
    "INSERT OR IGNORE INTO chosen SELECT subject, 0, 0 FROM refunded",
    f"INSERT OR IGNORE INTO chosen SELECT subject, 0, 0 FROM rows WHERE {within('subject', REFUNDS)}"
    f" AND spelled IS NOT NULL AND outcome <> '{REFUSED}' AND (ref IN (SELECT subject FROM refunded) OR token IS NOT NULL)",
)


def choose_subjects(ask: Callable[[str], Cursor], *, copies: bool) -> None:
    """Fill the table `chosen` of a store with all subjects to relate, and whether each may have copies or break a rule about itself.

    The tables `refunded` and `unsure` get what else is related: payments, and contents of writes. `ask` runs a statement;
    `copies` says whether the store has several files, which may have the same exchange.
    """

    def is_any(where: str) -> bool:
        return ask(f"SELECT 1 FROM rows WHERE {where} LIMIT 1").fetchone() is not None

    ask("CREATE TEMP TABLE chosen (subject PRIMARY KEY, repeated, suspect) WITHOUT ROWID")
    ask("CREATE TEMP TABLE refunded (subject PRIMARY KEY) WITHOUT ROWID")
    ask("CREATE TEMP TABLE unsure (content PRIMARY KEY) WITHOUT ROWID")
    ask(_SUSPECTS.format(repeated="count(digest) > count(DISTINCT digest)" if copies else "0"))
    if is_any("outcome = 'unknown'"):
        ask(_UNSURE)
    if is_any(within("subject", REFUNDS)):
        ask("CREATE INDEX by_token ON rows (token) WHERE token IS NOT NULL")
        ask(_REFUNDED)
    for question in _CHOSEN:
        ask(question)
