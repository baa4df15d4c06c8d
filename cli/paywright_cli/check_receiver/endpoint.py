"""The endpoint under test, what it answers, and what may be known of its effects."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final, NamedTuple

from paywright_runtime import strict_json
from paywright_runtime.signatures import RsaVerifier
from paywright_tools.one_request import at_once, request
from paywright_tools.sandbox.conformance.effects import Effects
from paywright_tools.sandbox.conformance.messages import Mint, written
from paywright_tools.sandbox.destination import Destination
from paywright_tools.sandbox.posting import Answered, Unanswered

__all__ = ["JSON", "Bench", "Came"]

JSON: Final = "application/json"
_PROBES: Final = 3
_REST: Final = 0.5


class Came(NamedTuple):
    """What came back, and after how many seconds."""

    answer: Answered | Unanswered
    seconds: float

    @property
    def status(self) -> int | None:
        return self.answer.status if isinstance(self.answer, Answered) else None

    @property
    def body(self) -> object:
        """The answer as JSON; None where it is none."""
        if not isinstance(self.answer, Answered):
            return None
        try:
            return strict_json.parse(self.answer.body)
        except strict_json.JsonProblem:
            return None

    @property
    def code(self) -> str | None:
        """Its member `code`."""
        body = self.body
        code = body.get("code") if isinstance(body, dict) else None
        return code if isinstance(code, str) else None

    @property
    def acknowledged(self) -> bool:
        """Whether the service takes it for received."""
        return self.status == 200 and self.code == "SUCCESS"

    @property
    def words(self) -> str:
        """It in a few words, which hold nothing of the answer but its status and code."""
        if isinstance(self.answer, Unanswered):
            return f"no answer ({self.answer.outcome}: {self.answer.why})"
        if self.code is not None:
            return f"{self.status}, code {self.code[:32]}"
        return f"{self.status}, " + ("nothing in it" if not self.answer.body else "no code in it")


class Bench:
    """Sends to one endpoint. `seconds` bounds each request; `bill_to` is where questions are put to."""

    def __init__(
        self,
        to: Destination,
        mint: Mint,
        effects: Effects,
        *,
        bill_to: Destination | None = None,
        bill: str | None = None,
        merchant: RsaVerifier | None = None,
        seconds: float = 5.0,
    ) -> None:
        self.to = to
        self.mint = mint
        self.effects = effects
        self.asks_bills = bill_to is not None
        self.bill_to = bill_to or to
        self.bill = bill
        self.merchant = merchant
        self.seconds = seconds
        self.unanswered = False
        """Whether a request had no answer since this was last set to False."""

    def deliver(self, body: object, *, content_type: str | None = JSON, pieces: int = 1, over: float = 0.0) -> Came:
        """A body, signed as the service signs; bytes are sent as they are."""
        raw = body if isinstance(body, bytes) else written(body)
        return self.post(raw, [self.mint.signer.sign(raw)], content_type=content_type, pieces=pieces, over=over)

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
    ) -> Came:
        """Bytes, with as many headers `sign` as are given."""
        headers = [] if content_type is None else [("Content-Type", content_type)]
        headers += [("sign", sign) for sign in signs]
        begun = monotonic()
        answer = request(to or self.to, method, headers, raw, seconds=self.seconds + over, pieces=pieces, over=over)
        return self._came(answer, begun)

    def _came(self, answer: Answered | Unanswered, begun: float) -> Came:
        self.unanswered = self.unanswered or isinstance(answer, Unanswered)
        return Came(answer, monotonic() - begun)

    def gone(self) -> bool:
        """Tell whether not even a valid notification is answered any more."""
        for attempt in range(_PROBES):
            sleep(_REST if attempt else 0.0)
            if self.deliver(self.mint.event(self.mint.number())).status is not None:
                return False
        return True

    def ask(self, question: dict[str, object]) -> Came:
        """A question about a bill, signed."""
        raw = written(question)
        return self.post(raw, [self.mint.signer.sign(raw)], to=self.bill_to)

    def at_once(self, raw: bytes, times: int) -> list[Came]:
        """The same bytes several times at the same moment: signed and connected before, and all but whole."""
        headers = [("Content-Type", JSON), ("sign", self.mint.signer.sign(raw))]
        begun = monotonic()
        return [
            self._came(answer, begun) for answer in at_once(self.to, headers, raw, seconds=self.seconds, copies=times)
        ]
