"""Valid messages, drawn from the contract's model by Hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.rules import AnyIs, Demand, Differs, IsGiven, Joined, Need, OneOf, Path, Restrict, Rule
from paywright_codegen.model.types import Field, Struct
from tests.support.contract import closed, inner
from tests.support.reference_rules import Json, at, broken, field_at

__all__ = ["documents", "objects", "settle", "smallest"]

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_NUMBERS = st.sampled_from([0, 1, -1, 10.5, 0.1, 10**14, -2.25, 0.01]) | st.integers(-(10**15), 10**15)
_OBJECTS = st.sampled_from([{}, {"k": 1}, {"a": {"b": [1, None, "c"]}}])

_known: dict[tuple[int, str], st.SearchStrategy[Json]] = {}


def documents(contract: Contract, message: MessageSpec) -> st.SearchStrategy[Json]:
    """Bodies of a message that break nothing."""
    return objects(contract, message.root)


def objects(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    """Objects of a struct that break nothing."""
    return _structs(contract, struct).map(lambda body: settle(contract, struct, body))


def _structs(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    key = (id(contract), struct.name)
    if key not in _known:
        _known[key] = st.deferred(lambda: _members(contract, struct))
    return _known[key]


def _members(contract: Contract, struct: Struct) -> st.SearchStrategy[Json]:
    required = {
        field.wire: _values(contract, field) for field in struct.fields if field.required and field.also is None
    }
    optional = {
        field.wire: _values(contract, field) | st.none()
        for field in struct.fields
        if not field.required and field.also is None
    }
    strategy: st.SearchStrategy[Json] = st.fixed_dictionaries(required, optional=optional)
    for field in struct.fields:
        if field.also is not None:
            strategy = st.builds(
                _spelled, strategy, st.sampled_from((field.wire, field.also)), _values(contract, field)
            )
    return strategy


def _spelled(body: Json, name: str, value: object) -> Json:
    return {**body, name: value}


def _values(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    one = _one(contract, field)
    if not field.type.array:
        return one
    least, most = field.min or 0, field.max if field.max is not None else 3
    return st.lists(one, min_size=least, max_size=min(most, least + 2)) | (
        st.lists(one, min_size=most, max_size=most) if most <= 5 else st.nothing()
    )


def _one(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    kind = field.type.kind
    if kind == "struct":
        return _structs(contract, inner(contract, field))
    if kind == "number":
        return _NUMBERS
    if kind == "boolean":
        return st.booleans()
    if kind == "object":
        return _OBJECTS
    return st.sampled_from(tuple(texts(contract, field))) | _free_texts(contract, field)


def _fits(field: Field, text: str) -> bool:
    return field.type.array or (field.min or 0) <= len(text) <= (field.max if field.max is not None else 10**6)


def texts(contract: Contract, field: Field) -> Iterator[str]:
    """A few texts that a field of text takes, its limits among them."""
    values = closed(contract, field)
    candidates: list[str] = [*field.examples, *values]
    if field.range is not None:
        low, high = field.range
        candidates += [str(low), str(high), str((low + high) // 2), f"0{low}", f"00{high}"]
    elif field.type.kind == "format":
        candidates += GOOD[field.type.name]
    elif field.type.kind == "set" and not values:
        candidates += [value.wire for value in contract.sets[field.type.name].values]
    if not values and field.range is None and field.type.kind != "format":
        lengths = {
            field.min or 0,
            field.min or 1,
            *([] if field.max is None else [field.max, max(field.max - 1, field.min or 0)]),
        }
        candidates += [character * length for character in "aé漢😀" for length in sorted(lengths)]
    if field.blank:
        candidates.append("")
    fitting = [text for text in candidates if _fits(field, text) or (field.blank and text == "" and not field.min)]
    assert fitting, f"no sample fits {field.place} {field.wire}"
    yield from fitting


def _free_texts(contract: Contract, field: Field) -> st.SearchStrategy[object]:
    if closed(contract, field) or field.range is not None:
        return st.nothing()
    if field.type.kind == "format":
        form = contract.formats[field.type.name]
        if form.pattern is None:
            return st.nothing()
        return st.from_regex(form.pattern, fullmatch=True).filter(
            lambda text: _fits(field, text) and not text.endswith("\n")
        )
    most = 12 if field.max is None or field.type.array else min(field.max, 12)
    least = 0 if field.type.array else field.min or 0
    return st.text(_CHARACTERS, min_size=least, max_size=max(least, most))


def smallest(contract: Contract, field: Field) -> object:
    """One value of a field, with nothing in it that is not due."""
    if field.type.kind == "struct":
        struct = inner(contract, field)
        body: Json = {member.wire: smallest(contract, member) for member in struct.fields if member.required}
        one: object = settle(contract, struct, body)
    elif field.type.kind in ("number", "boolean", "object"):
        one = {"number": 1, "boolean": True, "object": {}}[field.type.kind]
    else:
        one = next((text for text in texts(contract, field) if text), "a")
    return [one] * max(field.min or 0, 1) if field.type.array else one


def settle(contract: Contract, struct: Struct, body: Json) -> Json:
    """The body, changed so that it breaks no rule, in it and in the objects inside it."""
    for field in struct.fields:
        value = body.get(field.wire)
        if field.type.kind == "struct":
            part = inner(contract, field)
            if isinstance(value, dict):
                body = {**body, field.wire: settle(contract, part, value)}
            elif isinstance(value, list):
                body = {
                    **body,
                    field.wire: [settle(contract, part, item) if isinstance(item, dict) else item for item in value],
                }
    for _ in range(10):
        found = next(broken(struct, body), None)
        if found is None:
            return body
        body = _repaired(contract, struct, body, *found)
    raise AssertionError(f"the rules of {struct.name} contradict each other")


def _repaired(contract: Contract, struct: Struct, body: Json, rule: Rule, demand: Demand) -> Json:
    if isinstance(demand, Need):
        path = demand.paths[0]
        _, field = field_at(contract, struct, path)
        assert isinstance(field, Field)
        return put(contract, struct, body, path, smallest(contract, field))
    if isinstance(demand, AnyIs):
        return put(contract, struct, body, demand.choices[0].path, demand.choices[0].values[0])
    if isinstance(demand, Restrict):
        return put(contract, struct, body, demand.path, demand.values[0] if demand.values else "a")
    _, field = field_at(contract, struct, demand.path)
    assert isinstance(field, Field)
    if isinstance(demand, Differs):
        other = at(body, demand.other)
        return put(contract, struct, body, demand.path, next(text for text in texts(contract, field) if text != other))
    if isinstance(demand, Joined):
        return put(contract, struct, body, demand.path, "".join(str(at(body, part)) for part in demand.parts))
    if field.required:  # it cannot go: the condition must
        condition = rule.when[0]
        assert isinstance(condition, IsGiven | OneOf)
        return take(body, condition.path)
    return take(body, demand.path)


def put(contract: Contract, struct: Struct, body: Json, path: Path, value: object) -> Json:
    """The body with a value at a path; objects on the way that are not there are made."""
    if len(path) == 1:
        return {**body, path[0]: value}
    field = struct.field(path[0])
    assert field is not None
    below = body.get(path[0])
    if not isinstance(below, dict):
        made = smallest(contract, field)
        assert isinstance(made, dict)
        below = made
    part = inner(contract, field)
    return {**body, path[0]: settle(contract, part, put(contract, part, below, path[1:], value))}


def take(body: Json, path: Path) -> Json:
    """The body without the member at a path."""
    if len(path) == 1:
        return {name: value for name, value in body.items() if name != path[0]}
    below = body.get(path[0])
    return {**body, path[0]: take(below, path[1:])} if isinstance(below, dict) else body


GOOD: dict[str, tuple[str, ...]] = {
    "currency": ("USD", "EUR", "AAA"),
    "country": ("SG", "ZZ"),
    "word": ("ORD_1", "a", "_", "0"),
    "amount": ("10.50", "0", "-1", "007.10", "123456789012345"),
    "http_url": ("https://shop.example/back", "HTTP://x", "https://shop.example/a?b=c#d", "http://münchen.example/"),
    "callback_url": (
        "https://shop.example/back", "myapp://done", "a+b.c-d://x", "myapp://", "HTTPS://x", "datas://x", "httpx://",
        "filer://a",
    ),
    "json_media": ("application/json", "APPLICATION/JSON", "Application/JSON; charset=utf-8"),
    "ip_address": ("203.0.113.7", "0.0.0.0", "::", "2001:db8::1", "::ffff:203.0.113.7", "1:2:3:4:5:6:7:8"),
    "date": ("2025-02-26", "2024-02-29", "0001-01-01", "9999-12-31"),
    "day": ("20250226", "20240229", "00010101"),
    "time": ("2025-02-26T12:00:00.000+08:00", "2025-02-26T12:00:00.000Z", "2024-02-29T23:59:59.999-18:00"),
    "utctime": ("2025-01-13T15:59:59 +0000", "2025-01-13T00:00:00 -0330"),
    "offset_time": ("2025-02-26T12:00:00+00:00", "2025-02-26T12:00:00Z", "2025-02-26t12:00:00.5z"),
    "period_time": ("2025-01-13T15:59:59+0000", "2025-01-13T15:59:59-1800", "2025-01-13T15:59:59.000+00:00", "2025-01-13T15:59:59Z"),
    "start_date": ("2025-02-26", "2025-02-26T12:00:00+00:00", "2024-02-29T12:00:00.123Z"),
    "rate_moment": ("1748750400000", "2025-06-01T12:00:00.000+08:00"),
    "moment": ("2025-06-01T12:00:00.000+08:00", "2025-06-01T12:00:00Z", "2025-06-01T12:00:00 +0800"),
    "rate_time": ("", "1748750400000", "2025-06-01T12:00:00.000+08:00"),
}  # fmt: skip

BAD: dict[str, tuple[str, ...]] = {
    "currency": ("", "usd", "US", "USDX", "ＵＳＤ", "US1", " USD", "U\nD"),
    "country": ("", "sg", "S", "SGP", "S1", "ＳＧ"),
    "word": ("", "a b", "a-b", "ä", "٣", "a/b"),
    "amount": ("", "1,5", "1.", ".5", "1e3", "+1", "٣", "NaN", "1 ", "--1", "0x1"),
    "http_url": (
        "", "shop.example", "ftp://shop.example", "https://", "https://a b", "javascript:alert(1)", "http:/x",
        "https:///x", "https://?x", "https://\\x",
    ),
    "callback_url": (
        "", "://x", "1a://b", "a:", "a://b c", "a", "é://x", "http:x", "https:/x", "http://", "https:///x",
        "javascript:alert(1)", "javascript://%0aalert(1)", "JavaScript://x", "data://text/html,x", "vbscript://x",
        "File:///etc/passwd", "C:\\x", "C:/x",
    ),
    "json_media": ("", "text/json", "application/json5"),
    "ip_address": ("", "256.0.0.1", "1.2.3", "01.2.3.4", ":::", "1::2::3", "fe80::1%eth0", "1:2:3:4:5:6:7", "12345::"),
    "date": ("", "2025-02-30", "2025-2-26", "20250226", "0000-01-01", "2023-02-29", "2025-13-01", "1900-02-29", "٢025-01-01"),
    "day": ("", "20250230", "2025-02-26", "00000101", "2025022"),
    "time": (
        "", "2025-02-26T12:00:00+08:00", "2025-02-26 12:00:00.000+08:00", "2025-02-30T12:00:00.000Z",
        "2025-02-26T24:00:00.000Z", "2025-02-26T12:00:60.000Z", "2025-02-26T12:00:00.000+0800",
        "2025-02-26T12:00:00.000+18:01",
    ),
    "utctime": ("", "2025-01-13T15:59:59+0000", "2025-01-13T15:59:59 +00:00", "2025-01-13 15:59:59 +0000", "2025-01-13T15:59:59 Z"),
    "offset_time": ("", "2025-02-26", "2025-02-26T12:00:00", "2025-02-29T12:00:00Z", "2025-02-26T12:00:00+0000"),
    "period_time": ("", "2025-01-13T15:59:59 +0000", "2025-01-13T15:59:59", "2025-01-13T15:59+0000"),
    "start_date": ("", "soon", "2025-02-30", "20250226", "2025-02-26T12:00:00", "2025-02-26T12:00:00+0000"),
    "rate_moment": ("", "not-a-time", "2025-06-01", "174875040000", "17487504000000"),
    "moment": ("", " ", "soon", "2025-06-01", "2025-06-01T12:00:00", "2025-06-31T12:00:00Z", "1748750400000"),
    "rate_time": ("12345678901234", "2025-06-01 12:00:00+08:00", "yesterday at noon"),
}  # fmt: skip
