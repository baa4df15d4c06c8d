"""Text of others made fit to show: one line, bounded, and free of anything that looks like a card number."""

import re

__all__ = ["shown"]

# 13 digits and more, single spaces, dots or dashes between them: every card number, and also long ids.
# A hint that hides too much is still a hint; one that shows a card number is an incident.
_CARD = re.compile(r"\d(?:[ .\-]?\d){12,}")


def shown(text: str, limit: int) -> str:
    """`text` as it may stand in a message: printable characters only, digits of cards masked, at most `limit` characters.

    Masked before it is cut, so that no cut leaves the better part of a number behind.
    """
    printable = "".join(filter(str.isprintable, text))
    masked = _CARD.sub("****", printable)
    return masked if len(masked) <= limit else masked[: limit - 3] + "..."
