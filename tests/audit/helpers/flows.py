"""Values as mitmproxy writes them into flow files: typed netstrings."""

from __future__ import annotations

__all__ = ["tnet"]


def tnet(value: object) -> bytes:
    """A value as mitmproxy writes it."""
    if isinstance(value, bytes):
        body, kind = value, b","
    elif isinstance(value, str):
        body, kind = value.encode(), b";"
    elif value is None:
        body, kind = b"", b"~"
    elif isinstance(value, bool):
        body, kind = str(value).lower().encode(), b"!"
    elif isinstance(value, int):
        body, kind = str(value).encode(), b"#"
    elif isinstance(value, float):
        body, kind = repr(value).encode(), b"^"
    elif isinstance(value, dict):
        body, kind = b"".join(tnet(key) + tnet(item) for key, item in value.items()), b"}"
    else:
        assert isinstance(value, (list, tuple))
        body, kind = b"".join(map(tnet, value)), b"]"
    return b"%d:%s%s" % (len(body), body, kind)
