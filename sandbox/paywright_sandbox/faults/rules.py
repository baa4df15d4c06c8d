"""The faults of one sandbox: the rules in the state, and the choice of the one that applies.

Rules and their counts survive a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_runtime import strict_json
from paywright_runtime.clock import Clock
from paywright_sandbox.engine.state.captures import Earlier, earlier_answer
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.engine.state.tables import TableRow
from paywright_sandbox.faults.definitions import FaultRule, answer_names_key, read_rule

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine


@dataclass(frozen=True, kw_only=True)
class StoredRule(TableRow, table="faults"):
    """A rule as it is stored: its `definition` is JSON."""

    definition: bytes
    seen: int = 0
    struck: int = 0


TABLES: Final = (StoredRule,)


class AppliedFault(NamedTuple):
    """The fault of one request or notification. `earlier` is the answer to give in place of the true one, if any."""

    rule: FaultRule
    earlier: Earlier | None = None

    @property
    def before(self) -> bool:
        """True if the request has no effect."""
        return self.rule.when == "before"

    @property
    def name(self) -> str:
        """The fault, for a log."""
        return f"{self.rule.kind} {self.rule.when}"


class FaultRules:
    """The rules of one sandbox. Threads may share it. Call `reload` after anything else has changed the state.

    `write_log` is called before the log is searched for an earlier answer.
    """

    def __init__(self, store: Store, seed: str, write_log: Callable[[], None]) -> None:
        self._store = store
        self._write_log = write_log
        self._seed = seed
        self._rules: list[FaultRule] = []
        self.reload()

    def reload(self) -> None:
        """Read the rules again."""
        with self._store.transaction() as state:
            self._rules = read_rules(state)

    def rules(self) -> list[FaultRule]:
        """Return all rules, used up or not, in the order in which they are tried."""
        return list(self._rules)

    def add(self, rule: FaultRule, now: datetime) -> FaultRule:
        """Store a new rule, and return it with its number."""
        with self._store.transaction() as state:
            rule.id = state.add(StoredRule(definition=strict_json.write(rule.definition()))).id
            state.record(now, "fault.added", str(rule.id), rule.definition())
            self._rules = [*self._rules, rule]
        return rule

    def drop(self, number: int | None, now: datetime) -> int:
        """Delete one rule, or all of them, and return how many there were."""
        with self._store.transaction() as state:
            gone = [rule for rule in self._rules if number is None or rule.id == number]
            for rule in gone:
                state.delete("faults", rule.id)
                state.record(now, "fault.dropped", str(rule.id), {"struck": rule.struck})
            self._rules = [rule for rule in self._rules if rule not in gone]
        return len(gone)

    def apply(self, operation: str, merchant: str, key: str | None, clock: Clock) -> AppliedFault | None:
        """Count a request and return its fault, recorded, or None. The first rule that applies wins."""
        if not any(rule.is_for((operation,), key) for rule in self._rules):
            return None  # as nearly always, without a transaction
        self._write_log()
        now = clock.now()
        with self._store.transaction() as state:
            return self._apply(state, (operation,), key, now, merchant=merchant)

    def apply_to_notification(
        self,
        state: State,
        notify_type: str,
        operation: str | None,
        key: str | None,
        now: datetime,
        *,
        without: Sequence[str] = (),
    ) -> AppliedFault | None:
        """Return the fault that applies to one delivery of a notification, or None.

        Call it once an attempt, in its transaction. Rules of the kinds `without` are skipped and not counted.
        """
        return self._apply(state, (operation, notify_type), key, now, without=without)

    def _apply(
        self,
        state: State,
        names: tuple[str | None, ...],
        key: str | None,
        now: datetime,
        *,
        merchant: str | None = None,
        without: Sequence[str] = (),
    ) -> AppliedFault | None:
        """Choose the fault; `merchant` is the caller's app id, None for a notification."""
        for rule in self._rules:
            if rule.of_notifications != (merchant is None) or rule.kind in without or not rule.is_for(names, key):
                continue
            earlier = None
            if merchant is not None and rule.kind in ("another-answer", "stale-answer"):
                operation, of_another = names[0] or "", rule.kind == "another-answer"
                names_key = partial(answer_names_key, operation)
                earlier = earlier_answer(state, operation, merchant, key, of_another=of_another, names_key=names_key)
                if earlier is None:
                    continue  # no such answer yet: do not count the request
            rule.seen += 1
            applies = rule.draws(self._seed)
            rule.struck += applies
            state.update("faults", rule.id, {"seen": rule.seen, "struck": rule.struck})
            if applies:
                about = next((name for name in names if name), "")
                detail = {"rule": rule.id, "kind": rule.kind, "when": rule.when, "key": key, "struck": rule.struck}
                state.record(now, "fault.struck", about, detail)
                return AppliedFault(rule, earlier)
        return None


def read_rules(state: State) -> list[FaultRule]:
    """Return the rules of a state, in the order in which they are tried."""
    rules = []
    for row in state.select(StoredRule, "ORDER BY id"):
        definition = strict_json.parse(row.definition)
        assert isinstance(definition, dict)
        rule = read_rule(definition)
        rule.id, rule.seen, rule.struck = row.id, row.seen, row.struck
        rules.append(rule)
    return rules


def rules_of(engine: Engine) -> FaultRules:
    """Return the fault rules of an engine, the same ones at every call."""
    return engine.part(FaultRules)
