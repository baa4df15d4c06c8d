"""Make foreign text safe to show: of limited length, without card numbers and without control or bidirectional characters."""

__all__ = ["redacted", "shown_word", "visible"]


def redacted(text: str, limit: int) -> str:
    """Return `text` with printable characters only, card numbers masked, cut to `limit` characters.

    It is masked before it is cut, so that the cut cannot leave most of a number. Check digits are ignored, because masking too
    much does little harm in a message, but for digits with other signs between: those may be a time.
    """
    from paywright_runtime.card_numbers import mask_card_numbers  # here, because few programs need it

    masked = mask_card_numbers("".join(filter(str.isprintable, text)), checked=False)
    masked = mask_card_numbers(masked, checked=True, loosely=True)
    return masked if len(masked) <= limit else masked[: limit - 3] + "..."


def shown_word(text: str) -> str:
    """Return a word that a stranger wrote, such as a kind, a state, a code or a path, with card numbers masked, however spelled."""
    from paywright_runtime.card_numbers import first_and_last, mask_card_numbers  # as above

    return mask_card_numbers(text, first_and_last, checked=False, loosely=True)


def visible(text: str, keep: str = "") -> str:
    r"""Replace invisible characters by their code, as `\u{202e}`: controls, bidirectional marks, unusual spaces.

    The characters of `keep`, such as line breaks, stay.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else f"\\u{{{ord(one):x}}}" for one in text)
