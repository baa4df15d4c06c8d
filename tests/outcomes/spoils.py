"""What somebody in the middle makes of an answer. Nobody there has the gateway's key."""

from __future__ import annotations

import gzip
import json
from random import Random
from typing import Final, Protocol

from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from tests.outcomes.messages import Reply, Request, operation_at
from tests.support.keys import key_pair

__all__ = ["STRANGER", "Source"]

STRANGER: Final = RsaSigner(load_private_key(key_pair(2).private_pem))
_PAGE: Final = b"<html><body><center><h1>%d Bad Gateway</h1></center></body></html>"


class Source(Protocol):
    """Where chance and earlier answers come from."""

    random: Random

    def same_key(self, request: Request) -> Reply | None: ...

    def another_key(self, request: Request) -> Reply | None: ...

    def another_operation(self, request: Request) -> Reply | None: ...

    def not_there(self) -> Reply | None: ...


def page(source: Source, request: Request, reply: Reply | None) -> Reply:
    status = source.random.choice((500, 502, 503))
    return Reply(status, (("Content-Type", "text/html"),), _PAGE % status)


def redirect(source: Source, request: Request, reply: Reply | None) -> Reply:
    status = source.random.choice((301, 302, 303, 307, 308))
    body = reply.body if reply is not None else b""
    return Reply(status, (("Location", request.path), *(reply.headers if reply is not None else ())), body)


def wrong_status(source: Source, request: Request, reply: Reply | None) -> Reply:
    return _known(reply)._replace(status=source.random.choice((201, 202, 206, 400, 404, 500)))


def unsigned(source: Source, request: Request, reply: Reply | None) -> Reply:
    return _known(reply).without("sign")


def unsigned_refusal(source: Source, request: Request, reply: Reply | None) -> Reply:
    return Reply(200, (("Content-Type", "application/json"),), _refusal(source, request))


def signed_by_another(source: Source, request: Request, reply: Reply | None) -> Reply:
    known = _known(reply)
    return known.without("sign").also(("sign", STRANGER.sign(known.body)))


def forged_success(source: Source, request: Request, reply: Reply | None) -> Reply:
    data = {"outTradeNo": request.key, "tradeToken": "TT1", "tradeNo": "TN1", "status": "SUCCESS"}
    data |= {"outRefundNo": request.key, "refundTradeNo": "RT1"}
    return _forged({"code": "APPLY_SUCCESS", "msg": "Success.", "data": data})


def forged_refusal(source: Source, request: Request, reply: Reply | None) -> Reply:
    body = _refusal(source, request)
    return Reply(200, (("sign", STRANGER.sign(body)),), body)


def forged_absent(source: Source, request: Request, reply: Reply | None) -> Reply:
    return _forged({"code": "ORDER_NOT_EXIST", "msg": "The order does not exist."})


def mangled(source: Source, request: Request, reply: Reply | None) -> Reply:
    known = _known(reply)
    signature = next(value for name, value in known.headers if name.lower() == "sign")
    middle = len(signature) // 2
    spellings = (
        f"{signature[:middle]} {signature[middle:]}",
        signature[:-4],
        f"{signature}, {signature}",
        signature.swapcase(),
        "",
    )
    return known.without("sign").also(("sign", source.random.choice(spellings)))


def signed_twice(source: Source, request: Request, reply: Reply | None) -> Reply:
    known = _known(reply)
    return known.also(("sign", STRANGER.sign(known.body)))


def changed(source: Source, request: Request, reply: Reply | None) -> Reply:
    known = _known(reply)
    return known._replace(body=known.body.replace(b"SUCCESS", b"FAILURE") + b" ")


def compressed(source: Source, request: Request, reply: Reply | None) -> Reply:
    known = _known(reply)
    return known._replace(body=gzip.compress(known.body)).also(("Content-Encoding", "gzip"))


def stale_same(source: Source, request: Request, reply: Reply | None) -> Reply:
    return source.same_key(request) or _or_page(source, request, reply)


def stale_other(source: Source, request: Request, reply: Reply | None) -> Reply:
    return source.another_key(request) or _or_page(source, request, reply)


def stale_operation(source: Source, request: Request, reply: Reply | None) -> Reply:
    return source.another_operation(request) or _or_page(source, request, reply)


def stale_absent(source: Source, request: Request, reply: Reply | None) -> Reply:
    return source.not_there() or _or_page(source, request, reply)


def _or_page(source: Source, request: Request, reply: Reply | None) -> Reply:
    """There is no earlier answer yet."""
    return page(source, request, reply)


def _known(reply: Reply | None) -> Reply:
    assert reply is not None, "the kind of harm forwards"
    return reply


def _refusal(source: Source, request: Request) -> bytes:
    codes = sorted(operation_at(request.path).refusal_codes)
    return json.dumps({"code": source.random.choice(codes), "msg": "No."}).encode()


def _forged(answer: dict[str, object]) -> Reply:
    body = json.dumps(answer).encode()
    return Reply(200, (("Content-Type", "application/json"), ("sign", STRANGER.sign(body))), body)
