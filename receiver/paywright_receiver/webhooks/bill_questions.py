"""Decide questions that the gateway asks the merchant, within a deadline, and write what was decided as an answer [4.18].

A question carries no app id and no time, and a signature never expires. If the gateway signs for every merchant with
one key, a person who holds an old question, or one addressed to another merchant, can send it here and learn the
decision. So the function that decides must have no effect, and must refuse bills that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import copy_context
from threading import BoundedSemaphore, Thread
from threading import Event as Signal
from typing import TYPE_CHECKING, Any, Final, cast

from paywright_receiver.webhooks.handlers import raised, returned
from paywright_runtime import strict_json
from paywright_runtime.contract.conversion import read_number, writers
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.forking import ForkSafe
from paywright_runtime.tracebacks import interrupts

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Struct
    from paywright_runtime.contract.operation import Decision, Operation
    from paywright_runtime.strict_json import JSON

_AT_ONCE: Final = 256
_HANGING: Final = (
    "Give whatever the function waits for a timeout below bill_deadline; restart the process if decisions never end"
)


class Question:
    """A verified question. Generated subclasses type `data`; `raw` holds the bytes that were signed.

    `repr` shows neither.
    """

    __slots__ = ("_data", "raw")

    def __init__(self, data: Any, raw: bytes) -> None:
        self._data = data
        self.raw: bytes = raw

    def refuse(self, reason: str, /) -> object:
        """Return a response that refuses. `reason` is shown to the gateway."""
        raise NotImplementedError  # generated classes implement it

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Undecided(Exception):
    """Raised when there is no decision in time, or none that can be an answer.

    `why` contains no value of the question and no message of an error. `error` is what the function raised, or None.
    """

    def __init__(self, why: str, error: Exception | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.error = error


class DecisionExecutor(ForkSafe):
    """Runs the functions that decide questions, each in a thread of its own, so that a slow one holds up no answer.

    One that exceeds the deadline, in seconds, runs on, and its result is ignored. While 256 are running, no decision is started.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._after_fork()
        self._made_here()

    def _after_fork(self) -> None:
        self._places = BoundedSemaphore(_AT_ONCE)

    def decide(self, function: Callable[[object], object], question: object) -> object:
        """Return what `function` returns for the question.

        Raises `Undecided` if it raises, exceeds the deadline, or cannot start because too many run already.
        """
        self._check_process()
        places, done, found, failed = self._places, Signal(), list[object](), list[Exception]()
        if not places.acquire(blocking=False):
            raise Undecided(f"no decision was begun: {_AT_ONCE} are still running. {_HANGING}")
        context = copy_context()

        def work() -> None:
            try:
                found.append(context.run(function, question))
            except Exception as error:
                if interrupts(error):
                    raise
                failed.append(error)
            finally:
                places.release()
                done.set()

        try:
            ended = self._ends(work, done)
        except RuntimeError as error:  # no more threads
            if interrupts(error):
                raise
            places.release()
            raise Undecided("no thread could be started") from None
        if not ended:
            raise Undecided(f"no decision within {self._deadline:g} seconds. {_HANGING}")
        if failed:
            raise Undecided(f"the function failed with {raised(failed[0], function)}", failed[0])
        if not found:
            raise Undecided("the function failed with an exit")
        return found[0]

    def _ends(self, work: Callable[[], None], done: Signal) -> bool:
        Thread(target=work, daemon=True, name="paywright-question").start()
        return done.wait(self._deadline)


def decision_body(contract: Contract, operation: Operation, asked: Mapping[str, JSON], decision: object) -> bytes:
    """Return the body of the answer for a decision. Raises `Undecided` if it cannot be written."""
    struct = contract.struct(operation.response)
    at = operation.payloads[1]  # where the decision stands in the answer; "" if it is the whole
    report = Report()
    wire: dict[str, object] = {}
    whole = _is_one(contract, decision, struct)
    if not whole and not (at and _is_one(contract, decision, contract.struct(struct.by_wire[at].of or ""))):
        raise Undecided(f"the function {returned(decision)}")
    for field, writer in zip(struct.fields, writers(contract, struct), strict=True):
        if field.sends is not None:
            wire[field.wire] = field.sends
        elif whole or field.wire == at:
            value = getattr(decision, field.python) if whole else decision
            if value is not None:
                wire[field.wire] = writer(value, f"/{field.wire}", report)
    if not report.found:
        contract.validator(struct.name)(wire, "", report)
    if report.found:
        places = ", ".join(f"{at} ({code})" for at, code, _ in report.found)
        raise Undecided(f"its decision breaks the contract at {places}")
    said = cast("dict[str, object]", wire.get(at, wire))
    if operation.decision is not None and said.get(operation.decision.member) is None:
        raise Undecided(f"its answer decides nothing: it has no {operation.decision.member}")
    for name, value in said.items():
        if name in asked and (type(value) is bool or value != asked[name]):
            raise Undecided(f"its decision is about another {name} than what was asked")
    why = "" if operation.decision is None else impossible(operation.decision, asked, said)
    if why:
        raise Undecided(f"its decision is impossible: {why}")
    try:
        return strict_json.write(cast("JSON", wire))
    except strict_json.JsonProblem as problem:
        raise Undecided(f"its decision cannot be written: {strict_json.WHY[problem.why]}") from None


def _is_one(contract: Contract, decision: object, struct: Struct) -> bool:
    model = contract.model(struct.name)
    return model is not None and isinstance(decision, model)


def impossible(decides: Decision, asked: Mapping[str, object], answer: Mapping[str, object]) -> str:
    """Return why no answer can have these limits; "" if one can. Both are wire values that have been validated.

    Limits are not negative, and the least is not above the most. A yes allows the amount that was asked about.
    """
    if decides.within is None:
        return ""
    amount, least, most = decides.within
    low, high, wanted = (read_number(one) for one in (answer.get(least), answer.get(most), asked.get(amount)))
    if low is None or high is None:
        return ""
    if low < 0 or high < 0:
        return f"its {least if low < 0 else most} is negative"
    if low > high:
        return f"its {least} is above its {most}"
    if answer.get(decides.member) == decides.yes and wanted is not None and not low <= wanted <= high:
        return f"it says {decides.yes} to an {amount} that is not from its {least} to its {most}"
    return ""
