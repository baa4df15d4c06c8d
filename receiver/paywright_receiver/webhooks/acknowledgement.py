"""The replies to deliveries: acknowledgements as the contract shows them, and refusals that cannot be read as one [6]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from paywright_receiver.webhooks.reply import STATUS, WORDS, Outcome, Reply
from paywright_runtime import strict_json
from paywright_runtime.tracebacks import interrupts

if TYPE_CHECKING:
    from paywright_receiver.webhooks.options import ReceiverOptions
    from paywright_receiver.webhooks.verification import DeliveryVerifier
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.strict_json import JSON

_JSON: Final = ("Content-Type", "application/json")


class Replies:
    """Makes the replies of a receiver. `answers` has the struct of the acknowledgement by kind."""

    def __init__(
        self, contract: Contract, receiver: ReceiverOptions, verifier: DeliveryVerifier, answers: Mapping[str, Struct]
    ) -> None:
        self._contract = contract
        self._receiver = receiver
        self._verifier = verifier
        self._answers = answers
        # Kinds that the specification does not show are assumed to be acknowledged like those that it shows.
        self._plain: Struct | None = next(iter(answers.values()), None)
        self._acknowledgements: dict[str, tuple[bytes, tuple[tuple[str, str], ...]]] = {}

    def by_choice(self, outcome: Outcome, key: str, kind: str, choice: str) -> Reply:
        """Return the reply to a notification that had no effect: `choice` is acknowledge or refuse."""
        return self.acknowledgement(outcome, key, kind) if choice == "acknowledge" else self.refusal(outcome, key)

    def acknowledgement(self, outcome: Outcome, key: str, kind: str, *, reconciled: bool = False) -> Reply:
        """Return the acknowledgement of a notification."""
        made = self._acknowledgements.get(kind)
        if made is None:
            struct = self._answers.get(kind, self._plain)
            if struct is None:
                return self.refusal("internal", key)
            body = strict_json.write(self._constants(struct))
            # Remembered once, so that later a signer may be unavailable.
            made = self._acknowledgements[kind] = body, self.headers(body)
        body, headers = made
        why = WORDS.get(outcome, "")
        return Reply(200, headers, body, outcome, acknowledged=True, key=key, why=why, reconciled=reconciled)

    def _constants(self, struct: Struct) -> dict[str, JSON]:
        """Return the content of an acknowledgement: its constants, and objects of them."""
        said: dict[str, JSON] = {}
        for field in struct.fields:
            if field.sends is not None:
                said[field.wire] = field.sends
            elif field.kind == "struct" and not field.array:
                of = self._contract.struct(field.of or "")
                inner = self._constants(of)
                if inner and all(each.wire in inner for each in of.fields if each.required):
                    said[field.wire] = inner
        return said

    def refusal(self, outcome: Outcome, key: str | None, why: str = "") -> Reply:
        """Return a reply that cannot be read as an acknowledgement: no status 200, and no code SUCCESS in the body."""
        why = why or WORDS[outcome]
        said = {"code": outcome.upper(), "msg": why}
        fields: tuple[Field, ...] = self._plain.fields if self._plain is not None else ()
        wire = {field.wire: said.get(field.wire, outcome.upper()) for field in fields if field.sends is not None}
        body = strict_json.write(cast("JSON", wire))
        try:
            headers = self.headers(body)
        except Exception as error:  # the signer is unavailable; a refusal needs no signature
            if interrupts(error):
                raise
            headers = (_JSON,)
        return Reply(STATUS[outcome], headers, body, outcome, key=key, why=why)

    def headers(self, body: bytes) -> tuple[tuple[str, str], ...]:
        """Return the headers of a reply, signed if the receiver signs its answers."""
        signer = self._receiver.signer
        return (_JSON,) if signer is None else (_JSON, self._verifier.signature_of(signer, body))
