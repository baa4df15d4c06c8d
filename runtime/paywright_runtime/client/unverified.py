"""Code and message of an unverified answer, for error messages only."""

from collections.abc import Sequence

from paywright_runtime import strict_json
from paywright_runtime.attempts import UnverifiedHint
from paywright_runtime.contract.conversion import member_at

__all__ = ["unverified_hint"]

_LONGEST = 64 * 1024

Path = tuple[str, ...]


def unverified_hint(body: bytes, spellings: Sequence[tuple[Path, Path]]) -> UnverifiedHint | None:
    """Return the code and message in an unverified body, or None without any.

    `spellings` are the paths of code and message that the contract knows, likely ones first.
    Never raises; reads at most 64 KiB of strict JSON; the result is cut, masked and labelled. Decide nothing by it.
    """
    try:
        value = strict_json.parse(body, max_bytes=_LONGEST, max_depth=8)
    except strict_json.JsonProblem:
        return None
    for code, message in spellings:
        if (found := member_at(value, code)) is not None:
            return _hint(found, member_at(value, message))
    messages = (member_at(value, message) for _, message in spellings)
    return _hint(None, next((found for found in messages if found is not None), None))


def _hint(code: object, message: object) -> UnverifiedHint | None:
    hint = UnverifiedHint(_text(code), _text(message))
    return hint if hint.code or hint.msg else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
