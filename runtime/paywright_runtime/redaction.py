"""Make foreign text safe to show: of limited length, without card numbers and without control or bidirectional characters."""

__all__ = ["redacted", "visible"]


def redacted(text: str, limit: int) -> str:
    """Return `text` with printable characters only, card numbers masked, cut to `limit` characters.

    It is masked before it is cut, so that the cut cannot leave most of a number. Check digits are ignored: masking too
    much does little harm in a message.
    """
    from paywright_runtime.card_numbers import mask_card_numbers  # here, because few programs need it

    masked = mask_card_numbers("".join(filter(str.isprintable, text)), checked=False)
    return masked if len(masked) <= limit else masked[: limit - 3] + "..."


def visible(text: str, keep: str = "") -> str:
    r"""Replace invisible characters by their code, as `\u{202e}`: controls, bidirectional marks, unusual spaces.

    The characters of `keep`, such as line breaks, stay.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else f"\\u{{{ord(one):x}}}" for one in text)
