"""Delivery tasks: the requests of one attempt, sent by one thread or by several at once."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from paywright import validate
from paywright_runtime import strict_json
from paywright_sandbox.delivery.http_post import Answered, OutgoingRequest, Unanswered, attempt_seconds, post, received
from paywright_sandbox.delivery.outbox import KINDS, Notification

if TYPE_CHECKING:
    from datetime import datetime

    from paywright import OperationName
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.settings.policies import Policies
    from paywright_sandbox.engine.settings.settings import SandboxSettings

__all__ = ["Answer", "DeliveryResult", "DeliveryTask", "judged", "outgoing_request", "send", "send_all"]

Answer: TypeAlias = Answered | Unanswered


_FIRST_SHOWN: Final[OperationName] = next(kind.operation for kind in KINDS.values() if kind.operation is not None)


class DeliveryResult(NamedTuple):
    """The result of one delivery."""

    outcome: str
    http_status: int | None
    why: str


class DeliveryTask(NamedTuple):
    """One attempt: the notification as it was found, the time of that, and the requests to send.

    `asked` is True on demand; `generation` is that of its state.
    """

    row: Notification
    begun: datetime
    outgoing_requests: tuple[OutgoingRequest, ...]
    asked: bool
    generation: int

    def __repr__(self) -> str:
        return f"<DeliveryTask of {len(self.outgoing_requests)} requests>"


def outgoing_request(engine: Engine, row: Notification) -> OutgoingRequest:
    """Return the request for a notification: the same bytes and the same signature every time."""
    headers = [("Content-Type", "application/json"), ("sign", engine.settings.signer.sign(row.body))]
    if row.policy is not None:
        headers.append(("X-Sandbox-Policy", row.policy))
    return OutgoingRequest(row.url, tuple(headers), row.body)


def send(task: DeliveryTask, settings: SandboxSettings) -> list[Answer]:
    """Post the requests of a task, one after the other. I/O only."""
    if settings.receive_in_process is not None:
        return [received(settings.receive_in_process, outgoing) for outgoing in task.outgoing_requests]
    seconds = attempt_seconds(settings.policies)
    return [post(outgoing, settings.deliver_to, seconds) for outgoing in task.outgoing_requests]


def send_all(
    tasks: Sequence[DeliveryTask], settings: SandboxSettings, at_once: int, in_time: Callable[[], bool]
) -> tuple[dict[int, list[Answer]], BaseException | None]:
    """Send tasks that are in order: to one destination one after the other, to different ones at once.

    Return the answers by the notification's id, for the tasks that began while it was `in_time`, and the first exception,
    or None.
    """
    lanes: dict[str, deque[DeliveryTask]] = {}
    for task in tasks:
        lanes.setdefault(task.row.destination, deque()).append(task)
    waiting = deque(lanes.values())
    answers: dict[int, list[Answer]] = {}

    def work() -> None:
        while in_time():
            try:
                lane = waiting.popleft()
            except IndexError:
                return  # the thread that sends for a lane goes on with it
            task = lane.popleft()
            answers[task.row.id] = send(task, settings)
            if lane:
                waiting.append(lane)  # behind the others: a silent destination gets one turn at a time

    if len(lanes) <= 1:
        work()
        return answers, None
    with ThreadPoolExecutor(min(len(lanes), at_once), thread_name_prefix="paywright-delivery") as senders:
        workers = [senders.submit(work) for _ in range(min(len(lanes), at_once))]
    return answers, next((wrong for worker in workers if (wrong := worker.exception()) is not None), None)


def _code(body: bytes) -> str:
    """Return the code of a refusal in words; "" if the answer has none that is a word."""
    try:
        said = strict_json.parse(body)
    except strict_json.JsonProblem:
        return ""
    code = said.get("code") if isinstance(said, dict) else None
    return f", code {code}" if isinstance(code, str) and re.fullmatch("[A-Z_]{1,40}", code) else ""


def judged(kind: str, answer: Answer, policies: Policies) -> DeliveryResult:
    """Judge whether the merchant has acknowledged a notification of a kind [4.19]."""
    if isinstance(answer, Unanswered):
        return DeliveryResult(answer.outcome, None, answer.why)
    status = answer.status
    if status != 200:
        moved = 300 <= status < 400
        said = "a redirect, which is not followed" if moved else f"HTTP status {status}{_code(answer.body)}"
        return DeliveryResult("HTTP_STATUS", status, said)
    wanted = policies.text("notification-acknowledged-by")
    if wanted == "http-200":
        return DeliveryResult("ACKNOWLEDGED", status, "HTTP 200")
    # Answers to unshown notifications are judged like answers to the first shown one [6.1].
    operation = KINDS[kind].operation or _FIRST_SHOWN
    violations = validate(operation, "answer", answer.body)
    if violations:
        first = violations[0]
        return DeliveryResult(
            "BAD_ANSWER", status, f"the answer breaks the contract at {first.pointer or 'its root'}: {first.code}"
        )
    body = strict_json.parse(answer.body)
    code = body.get("code") if isinstance(body, dict) else None
    if wanted == "success" and code != "SUCCESS":
        return DeliveryResult("NOT_SUCCESS", status, "the answer's code is not SUCCESS")
    return DeliveryResult("ACKNOWLEDGED", status, "acknowledged")
