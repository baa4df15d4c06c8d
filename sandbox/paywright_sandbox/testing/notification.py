"""Signed notifications, made from the contract's examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final, NamedTuple, cast

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.contract.index import nearest
from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_runtime.contract.validation import judge
from paywright_runtime.errors import InvalidArgument
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.testing.message_schema import Document, Path, change


class SignedNotification(NamedTuple):
    """A notification as the gateway sends it: the exact `body`, and `headers` with its signature."""

    body: bytes
    headers: dict[str, str]

    def __repr__(self) -> str:
        return f"<SignedNotification of {len(self.body)} bytes>"


def _kinds() -> dict[str, Operation | SeenNotification]:
    """Return the kinds by the names that tests use: that of the message (`transfer`), else the notifyType (`payment`)."""
    return {
        (what.request.removesuffix("Notification") if isinstance(what, Operation) else kind).lower(): what
        for kind, what in CONTRACT.kinds().items()
    }


KINDS: Final = _kinds()


def operation_of_kind(kind: str) -> Operation:
    """Return the operation of a kind that the contract shows. Raises `InvalidArgument` for any other."""
    shown = {name: what for name, what in KINDS.items() if isinstance(what, Operation)}
    if kind not in shown:
        raise InvalidArgument(f"The contract shows no notification {kind!r}.{nearest(kind, shown)}")
    return shown[kind]


def make_notification(engine: Engine, kind: str, members: Mapping[str, object]) -> Document:
    """Return a valid notification to the first merchant, of now, with some `members` as given. Raises `InvalidArgument`."""
    if kind not in KINDS:
        raise InvalidArgument(f"There is no notification {kind!r}.{nearest(kind, KINDS)}")
    what = KINDS[kind]
    if isinstance(what, Operation):
        body: Document = dict(CONTRACT.example(f"{what.name}.{what.roles[0]}"))
    else:
        body = {"code": "APPLY_SUCCESS", "msg": "Success.", "version": "1.0", "keyVersion": "1", "merchantNo": ""}
        body["data"] = CONTRACT.example(f"{what.about[0]}.response")["data"]
        seen = {what.about[1]: f"{kind.upper()}_1", what.state: _paid(what), what.amount.currency: "USD"}
        for pointer, value in {**what.discriminators, **seen, what.amount.pointer: Decimal("10.50")}.items():
            body = cast(Document, change(body, tuple(pointer.split("/")[1:]), value))
    numbers = engine.merchants.registered[0].numbers
    body |= {"appId": numbers["app_id"], "notifyTime": formats.write_request_time(engine.wall.now())}
    if "merchantNo" in body:
        body["merchantNo"] = numbers.get("merchant_no", "")
    for name, value in members.items():
        body = cast(Document, change(body, _place(body, name), value))
    if isinstance(what, Operation):
        violations = judge(CONTRACT, what.name, what.roles[0], body)
        if violations:
            raise InvalidArgument(
                f"The contract allows no such notification: {'; '.join(one.message for one in violations)}. "
                "To sign it nevertheless, use the sandbox's method `signed`."
            )
    return body


def signed_notification(engine: Engine, body: bytes | Mapping[str, object]) -> SignedNotification:
    """Sign a body with the gateway's key, valid or not."""
    raw = body if isinstance(body, bytes) else strict_json.write(_exact(body))
    return SignedNotification(raw, {"Content-Type": "application/json", "sign": engine.settings.signer.sign(raw)})


def _exact(value: object) -> object:
    """Return a document with Decimals for floats, which Hypothesis draws and examples have."""
    if isinstance(value, Mapping):
        return {name: _exact(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_exact(one) for one in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


def _paid(what: SeenNotification) -> str:
    """Return the state in which the money of its subject moved."""
    shown = CONTRACT.struct(str(CONTRACT.operation(what.about[0]).result))
    return CONTRACT.set(str(shown.by_wire[what.state.rpartition("/")[2]].of)).paid[0]


def _place(body: Document, name: str) -> Path:
    """Return where a member stands that is named as on the wire or as in Python; the outermost, of the data first."""
    places = [*sorted(_paths(body["data"], ("data",)), key=len), *((wire,) for wire in body)]
    near = [place for place in places if _plain(str(place[-1])) == _plain(name)]
    if not near:
        known = {str(place[-1]): place for place in places}
        raise InvalidArgument(f"The notification has no member {name!r}.{nearest(name, known)}")
    return near[0]


def _paths(body: object, at: Path) -> Iterator[Path]:
    if isinstance(body, dict):
        for name, value in body.items():
            yield (*at, name)
            yield from _paths(value, (*at, name))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
