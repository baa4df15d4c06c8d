"""Refuse a key that was used before, whatever the request asks for: the operations of all resources, and the control API."""

from paywright_sandbox.engine.state.refusal import Refusal


def refuse_used(known: object | None, name: str, then: str = "", *, code: str | None = None) -> None:
    """Raise `Refusal` if `known` is the thing that has this key already, as the member `name`; `then` ends the sentence.

    The code is that of the policy repeat, or `code`.
    """
    if known is not None:
        raise Refusal(f"This {name} was used before{then}.", policy="repeat" if code is None else None, code=code)
