"""A guess, for people, at what an answer says whose signature could not be verified."""

from paywright_runtime import strict_json
from paywright_runtime.attempts import UnverifiedHint

__all__ = ["unverified_hint"]

_LONGEST = 64 * 1024

# Gateway form, bizType form and SNAP form, in that order [2.2, 4.7, 2.13].
_SPELLINGS = (("code", "msg"), ("bizCode", "message"), ("responseCode", "responseMessage"))


def unverified_hint(body: bytes) -> UnverifiedHint | None:
    """Return the code and message in a body nobody vouches for, or None where there are none.

    Never raises; reads at most 64 KiB of strict JSON; the result is cut, masked and labelled. Decide nothing by it.
    """
    try:
        value = strict_json.parse(body, max_bytes=_LONGEST, max_depth=8)
    except strict_json.JsonProblem:
        return None
    if not isinstance(value, dict):
        return None
    for code, msg in _SPELLINGS:
        if code in value:
            return _hint(value[code], value.get(msg))
    return _hint(None, value.get("msg"))


def _hint(code: object, msg: object) -> UnverifiedHint | None:
    hint = UnverifiedHint(_text(code), _text(msg))
    return hint if hint.code or hint.msg else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
