"""Text of others made fit to show: one line, bounded, and free of anything that looks like a card number."""

from paywright_runtime.card_numbers import mask_card_numbers

__all__ = ["shown"]


def shown(text: str, limit: int) -> str:
    """`text` as it may stand in a message: printable characters only, digits of cards masked, at most `limit` characters.

    Masked before it is cut, so that no cut leaves the better part of a number behind, and whatever the check digit: a message
    that hides too much is still a message.
    """
    masked = mask_card_numbers("".join(filter(str.isprintable, text)), checked=False)
    return masked if len(masked) <= limit else masked[: limit - 3] + "..."
