"""One sentence for each situation of a call, an item or a notification: advice, or why an operation is refused and what to do.

Errors, the reasons of steps and items, the reports of the command line and the pages of the documentation say these sentences and no
others about a situation. Each is a clause without a full stop. A page has it between `<!-- advice ID -->` and `<!-- end -->`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ADVICE", "advised", "refusal"]

ADVICE: Final[Mapping[str, str]] = {
    # a call
    "refused": "correct what it names, or wait where it asks for time, and call again: the same content keeps its key, other content takes a new one",
    "not_sent": "call again: the same content keeps its key, other content takes a new one",
    "unknown": "do not call it again, under this key or a new one",
    "no_query": "the contract has no query for it: it stays unknown until a notification or the gateway's support says what became of it",
    # an item
    "place_again": "place it again with a permission, under the same key, if it is still wanted; else close it",
    "decide.not_there": "if it is still wanted, resolve it anew or ask the follower for the permission; else stop asking, or close it",
    "decide.not_shown": "ask the gateway's support what became of it; do not call it again, under this key or a new one",
    "decide.no_answer": "mend what it names (the network, a key, a setting) or, if other keys are answered, ask the gateway's support; the next answer settles it: do not close it, nor call it again",
    "decide.other_call": "find the earlier call with this key, ask the gateway's support whether this one arrived too, and close it with the reason",
    "decide.conflict": "compare both with your records, ask the gateway's support which is right, and close it with the reason and the state that you booked",
    "decide.not_done": "what it should have changed stands: decide what follows; the gateway's support can say why",
    "decide.overdue": "ask the gateway's support what became of it: close it with the reason, or name its last state with `ends`",
    "decide.behind": "ask the gateway's support which is right; it is asked about further, and an answer that shows it settles it",
    "decide.closed": "open it again, and the handler is called; or close it with the state that you booked",
    "closed": "a webhook opens it again; it is asked about once after its expiry and once a day later, and a person decides if money has moved",
    "untold": "run a follower with a receiver: it calls the handler",
    # an operation on an item that is refused
    "unregistered": "there is no {kind} {key!r}: it was never registered with follower.open, or its transaction was rolled back",
    "registered": (
        "{kind} {key!r} is registered already, with other content. Nothing was written: a key stands for one thing for ever. Use a new "
        "key for a new thing, and the same arguments for the same thing"
    ),
    "other_letters": (
        "{kind} {key!r} is registered already as {there!r}: the gateway knows no capitals. Nothing was written: use the number as it is "
        "registered for the same thing, and one that has other letters for another"
    ),
    "elsewhere": (
        "{kind} {key!r} is registered for {there}, and this client asks {here}. Nothing was written. If both are addresses of one "
        "gateway, `paywright follow move` moves here what waits there"
    ),
    "here": "{kind} {key!r} is at {here} already. Nothing was written",
    "unheard": (
        "{kind} {key!r} stays as it is: a notification about it was acknowledged, and the gateway was not asked yet what it means. Run "
        "the follower, which asks the gateway what it means, before you close it"
    ),
    "not_shown": "no query can show {kind} {key!r} here: move it with as_is if you know that it is here",
    "not_placeable": "{why}",
    "closed_by_hand": "it was closed by hand: {why}; open it again with follower.open",
    "asking": "it is being asked about at this moment",
    "void": "this permission is void: its item was closed, or placed by another call",
    "expired": "this permission held {seconds:.0f} seconds, which are over",
    "used": "a call was made with this permission",
    "no_handler": "there is no handler of on_result({kind!r}) to call: give the follower the receiver that has it",
    "no_end": "{state} of {kind} {key!r} is no last state for the handler: register it with `ends` as before. Nothing was called",
    "no_result": "no result of {kind} {key!r} is known that its handler could be called with: {why}. Nothing was called",
    # a notification that is kept, or not
    "handling": "a handler is running; release it first if that handler died",
    "nothing_kept": "nothing is kept that could be replayed or discarded",
    "kept": "the gateway may send it again, and the handler may run then: look at it before you book anything by hand",
}


def advised(situation: str) -> str:
    """Return the advice for a situation with a capital letter, without a full stop."""
    text = ADVICE[situation]
    return f"{text[0].upper()}{text[1:]}"


def refusal(situation: str, **values: object) -> str:
    """Return why an operation is refused as a sentence, with the values of what it is about."""
    return f"{advised(situation).format_map(values)}."
