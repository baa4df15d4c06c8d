"""Send requests to the endpoint under test."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final, NamedTuple

from paywright_cli.check_receiver.effects import Effects
from paywright_cli.check_receiver.messages import MessageFactory, written
from paywright_runtime import strict_json
from paywright_runtime.signing.rsa import RsaVerifier
from paywright_sandbox.delivery.http_client import Answered, Unanswered, at_once, request
from paywright_sandbox.engine.merchants.url_policy import Destination

__all__ = ["JSON", "EndpointUnderTest", "Response"]

JSON: Final = "application/json"
_PROBES: Final = 3
_REST: Final = 0.5


class Response(NamedTuple):
    """The response, and how many seconds it took."""

    answer: Answered | Unanswered
    seconds: float

    @property
    def status(self) -> int | None:
        """Return the HTTP status; None without a response."""
        return self.answer.status if isinstance(self.answer, Answered) else None

    @property
    def body(self) -> object:
        """Return the body as JSON; None if it is not JSON."""
        if not isinstance(self.answer, Answered):
            return None
        try:
            return strict_json.parse(self.answer.body)
        except strict_json.JsonProblem:
            return None

    @property
    def code(self) -> str | None:
        """Return its member `code`, or None."""
        body = self.body
        code = body.get("code") if isinstance(body, dict) else None
        return code if isinstance(code, str) else None

    @property
    def acknowledged(self) -> bool:
        """Return whether the gateway counts the notification as received."""
        return self.status == 200 and self.code == "SUCCESS"

    @property
    def words(self) -> str:
        """Describe it in a few words, with its status and code and nothing else of the response."""
        if isinstance(self.answer, Unanswered):
            return f"no answer ({self.answer.outcome}: {self.answer.why})"
        if self.code is not None:
            return f"{self.status}, code {self.code[:32]}"
        return f"{self.status}, " + ("nothing in it" if not self.answer.body else "no code in it")


class EndpointUnderTest:
    """Sends to one endpoint. `seconds` limits each request; `bill_to` is where questions are sent."""

    def __init__(
        self,
        to: Destination,
        messages: MessageFactory,
        effects: Effects,
        *,
        bill_to: Destination | None = None,
        bill: str | None = None,
        merchant: RsaVerifier | None = None,
        seconds: float = 5.0,
    ) -> None:
        self.to = to
        self.messages = messages
        self.effects = effects
        self.asks_bills = bill_to is not None
        self.bill_to = bill_to or to
        self.bill = bill
        self.merchant = merchant
        self.seconds = seconds
        self.unanswered = False
        """True if a request had no answer since this was last set to False."""

    def deliver(self, body: object, *, content_type: str | None = JSON, pieces: int = 1, over: float = 0.0) -> Response:
        """Send a body, signed as the gateway signs. Bytes are sent unchanged."""
        raw = body if isinstance(body, bytes) else written(body)
        return self.post(raw, [self.messages.signer.sign(raw)], content_type=content_type, pieces=pieces, over=over)

    def post(
        self,
        raw: bytes,
        signs: Sequence[str],
        *,
        content_type: str | None = JSON,
        method: str = "POST",
        to: Destination | None = None,
        pieces: int = 1,
        over: float = 0.0,
    ) -> Response:
        """Send bytes, with one header `sign` for each of `signs`."""
        headers = [] if content_type is None else [("Content-Type", content_type)]
        headers += [("sign", sign) for sign in signs]
        begun = monotonic()
        answer = request(to or self.to, method, headers, raw, seconds=self.seconds + over, pieces=pieces, over=over)
        return self._received(answer, begun)

    def _received(self, answer: Answered | Unanswered, begun: float) -> Response:
        self.unanswered = self.unanswered or isinstance(answer, Unanswered)
        return Response(answer, monotonic() - begun)

    def gone(self) -> bool:
        """Return whether the endpoint no longer answers even a valid notification."""
        for attempt in range(_PROBES):
            sleep(_REST if attempt else 0.0)
            if self.deliver(self.messages.event(self.messages.number())).status is not None:
                return False
        return True

    def ask(self, question: dict[str, object]) -> Response:
        """Send a signed question about a bill."""
        raw = written(question)
        return self.post(raw, [self.messages.signer.sign(raw)], to=self.bill_to)

    def at_once(self, raw: bytes, times: int) -> list[Response]:
        """Send the same bytes several times at the same moment: signed and connected before, with all but the last byte sent."""
        headers = [("Content-Type", JSON), ("sign", self.messages.signer.sign(raw))]
        begun = monotonic()
        return [
            self._received(answer, begun)
            for answer in at_once(self.to, headers, raw, seconds=self.seconds, copies=times)
        ]
