"""Control routes of merchants: list, add and remove them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_runtime.signing.keys import fingerprint
from paywright_sandbox.engine.fields import text
from paywright_sandbox.engine.merchant import (
    ADDRESSES,
    API_NAMES,
    MERCHANT_MESSAGES,
    NUMBERS,
    SECRETS,
    RegisteredMerchant,
)
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.state.refusal import Refusal

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine


def _purpose(what: Operation | SeenNotification) -> str:
    """Describe the purpose of a merchant's address."""
    if isinstance(what, SeenNotification):
        return f"address for notifications of {what.name}, unless the request has {what.address}"
    kind = next(iter(what.discriminators.values()), None)
    return f"address for {f'notifications of {kind}' if kind else f'the question {what.name}'}"


_SUMMARIES: Final[Mapping[str, str]] = {
    "app-id": "the app id, at most 64 characters",
    "merchant-no": "the merchant number, at most 32 characters (15 to get notifications of transfers)",
    "member-id": "the member id, for queries of withdraw orders",
    "sp-merchant-no": "the number of the service provider, for inquiries of cases",
    "merchant-id": "the merchant id of token inquiries and bank-style calls",
    "snap-partner-id": "the partner id of bank-style calls",
    **{setting: _purpose(what) for setting, what in MERCHANT_MESSAGES.items()},
    "snap-client-secret": "the client secret of bank-style calls, with snapAccessToken",
    "snap-access-token": "the access token of bank-style calls, with snapClientSecret",
}


def _list(engine: Engine, _: Call) -> dict[str, object]:
    return {"merchants": [_shown(merchant) for merchant in engine.merchants.registered]}


def _one(engine: Engine, call: Call) -> dict[str, object]:
    merchant = engine.merchants.named(call.path["appId"])
    if merchant is None:
        there = ", ".join(known.app_id for known in engine.merchants.registered)
        raise Refusal(f"No merchant has this app id; known: {there}.", code="404")
    return _shown(merchant)


def _add(engine: Engine, call: Call) -> dict[str, object]:
    entry = {name: call.body[wire] for name, wire in API_NAMES.items() if wire in call.body}
    return _shown(engine.merchants.add(entry, text(call.body, "publicKey"), engine.clock.now()))


def _remove(engine: Engine, call: Call) -> dict[str, object]:
    app_id = call.path["appId"]
    engine.merchants.remove(app_id, engine.clock.now())
    return {"removed": app_id}


def _shown(merchant: RegisteredMerchant) -> dict[str, object]:
    """Return a merchant as JSON, without its client secret and its access token."""
    return {
        **{API_NAMES[name.replace("_", "-")]: merchant.numbers.get(name) for name in NUMBERS},
        **{API_NAMES[name]: merchant.addresses[name] for name in ADDRESSES if name in merchant.addresses},
        "publicKeyFingerprint": fingerprint(merchant.public),
        "origin": merchant.origin,
    }


def _field(name: str) -> RouteField:
    required = name in ("app-id", "merchant-no")
    return RouteField(API_NAMES[name], "string", _SUMMARIES[name], required=required, longest=2048)


_NUMBERS: Final = tuple(name.replace("_", "-") for name in NUMBERS)

ROUTES: Final = (
    Route("GET", "merchants", "All merchants, with their origin", _list),
    Route("POST", "merchants", "Registers a merchant, who may call at once", _add, (
        *map(_field, _NUMBERS[:2]),
        RouteField("publicKey", "string", "the merchant's public key: PEM, or the Base64 inside it on one line", required=True,
              longest=16_384),
        *map(_field, (*_NUMBERS[2:], *ADDRESSES, *SECRETS)),
    )),
    Route("GET", "merchants/{appId}", "One merchant", _one),
    Route("DELETE", "merchants/{appId}", "Removes an added merchant; its orders stay", _remove),
)  # fmt: skip
