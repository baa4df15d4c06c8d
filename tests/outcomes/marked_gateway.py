"""A gateway whose answers repeat no key, and yet can be told apart: for those who look for answers in wrong hands."""

from __future__ import annotations

import json

from paywright import Client, PaywrightError
from tests.outcomes.harms import ON_SOCKETS, Harm
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen

__all__ = ["OWN_ANSWERS", "asked", "marked"]

OWN_ANSWERS: tuple[Harm, ...] = tuple(
    harm
    for harm in ON_SOCKETS
    if harm.ending != "swapped" and "stale" not in harm.name and not harm.name.startswith("delayed")
)
"""All that does not play the answer to somebody else: where an answer repeats nothing, only the connection binds it."""


def marked(gateway: Gateway) -> None:
    """Each answer says, in a member that no contract knows, for whom it is."""

    def reply(seen: Seen) -> Reply:
        data = seen.json["data"]
        assert isinstance(data, dict)
        return Reply({"code": "APPLY_SUCCESS", "msg": "", "data": {"tokenList": [], "for": data["userId"]}})

    gateway.reply = reply


def asked(client: Client, who: str) -> str:
    """`own`, `foreign`, the name of an error of the tree, or that of a stranger."""
    try:
        found = client.payment_tokens.list(user_id=who)
    except PaywrightError:
        return "error"
    except Exception as error:
        return f"stranger {type(error).__name__}"
    return "own" if json.loads(found.answer.raw)["data"]["for"] == who else "foreign"
