"""Send requests to the endpoint under test, and look up the effect of a notification at a URL of it."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final, NamedTuple
from urllib.parse import quote

from paywright_cli.check_receiver.messages import MessageFactory, written
from paywright_runtime import strict_json
from paywright_runtime.signing.rsa import RsaVerifier
from paywright_sandbox.delivery.http_client import Answered, Unanswered, at_once, request
from paywright_sandbox.engine.url_policy import Destination, NotAllowed, NotFound, read_destination, resolved

KEY: Final = "{key}"
_BACK_WITHIN: Final = 30.0
_LEFT: Final = 0.25
_LOOKS: Final = 20


class EffectsProblem(Exception):
    """Raised when the effects cannot be looked up, or the endpoint cannot be restarted."""


class Look(NamedTuple):
    """The number of effects and the current state; None if unknown."""

    effects: int | None
    state: str | None = None


class Effects:
    """Effects of the endpoint, at a `url` in which `{key}` stands for the number, if there is one.

    A GET returns a count, or `{"effects": 1, "state": "SETTLED"}`. `restart` is a command that restarts the endpoint.
    """

    def __init__(self, to: Destination, url: str | None, allowed: tuple[str, ...], restart: str | None) -> None:
        self._to = to
        self._allowed = allowed
        self._restart = restart
        self.url = url

    @property
    def restarts(self) -> bool:
        """Return whether the endpoint can be restarted."""
        return self._restart is not None

    def look(self, key: str) -> Look:
        """Return the effects of a number, as far as they can be looked up. Raises `EffectsProblem`."""
        if self.url is None:
            return Look(None)
        where = read_destination(self.url.replace(KEY, quote(key, safe="")), self._allowed)
        answer = request(where, "GET", [("Accept", "application/json")], b"", seconds=5.0)
        if not isinstance(answer, Answered) or answer.status != 200:
            raise EffectsProblem("the address of --effects does not answer with HTTP 200")
        try:
            found = strict_json.parse(answer.body)
        except strict_json.JsonProblem:
            found = None
        if isinstance(found, dict):
            state = found.get("state")
            return Look(_count(found.get("effects")), state if isinstance(state, str) else None)
        return Look(_count(found))

    def settled(self, key: str) -> Look:
        """Return the effects once they no longer change: one may come after the response. Raises `EffectsProblem`."""
        found = self.look(key)
        for _ in range(0 if self.url is None else _LOOKS):
            sleep(_LEFT)
            again = self.look(key)
            if again == found:
                break
            found = again
        return found

    def restart(self) -> None:
        """Stop the endpoint and start it again. Raises `EffectsProblem`."""
        assert self._restart is not None  # `restarts` says so
        command = self._restart if os.name == "nt" else shlex.split(self._restart)  # Windows splits it by itself
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=_BACK_WITHIN)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            raise EffectsProblem("the command of --restart did not finish") from None
        if done.returncode:
            raise EffectsProblem(f"the command of --restart ended with exit code {done.returncode}")
        until = monotonic() + _BACK_WITHIN
        while monotonic() < until:
            try:
                host = self._to.host if self._to.host == "localhost" else resolved(self._to)
                socket.create_connection((host, self._to.port), timeout=1).close()
                return
            except (OSError, NotAllowed, NotFound):
                sleep(0.1)
        raise EffectsProblem("the endpoint did not answer after its restart")


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise EffectsProblem('--effects answers neither a count nor {"effects": 1, "state": "SETTLED"}')
    return value


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
        merchant: RsaVerifier,
        *,
        bill_to: Destination | None = None,
        bill: str | None = None,
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
        self.taken: set[str] = set()
        """The kinds of which a notification was acknowledged."""

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
