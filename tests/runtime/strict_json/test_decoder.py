"""Strict JSON: one meaning, exact digits, bounded cost, and no document in any error."""

import enum
import json
import pickle
import traceback
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.strict_json import JSON, JsonProblem, parse, parse_reporting, write
from paywright_runtime.strict_json.errors import WHY, CutText
from tests.support.examples import examples


def why(raw: bytes, **limits: int) -> str:
    with pytest.raises(JsonProblem) as caught:
        parse(raw, **limits)
    return caught.value.why


# --- reading


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a":[1,2.50,true,false,null,"x"]}', {"a": [1, Decimal("2.50"), True, False, None, "x"]}),
        (b' \t\r\n{"a" : 1}\n', {"a": 1}), (b'"text"', "text"), (b"  12  ", 12), (b"-0", 0),
        (b"1e3", Decimal("1E+3")), (b'"\\ud83d\\ude00"', "\U0001f600"), ('"\U0001f600 ü"'.encode(), "\U0001f600 ü"),
        (b'"\\u0000 \\" \\\\ud800"', '\0 " \\ud800'), (b"[]", []), (b"{}", {}), (b'{"":0}', {"": 0}),
    ],
)  # fmt: skip
def test_a_well_formed_text_is_read(raw: bytes, value: JSON) -> None:
    assert parse(raw) == value


def test_numbers_keep_their_digits_and_are_never_floats() -> None:
    value = parse(b'{"a":10.50,"b":1e2,"c":0.1,"d":-0.0,"e":123456789012345678901234567890}')
    assert isinstance(value, dict)
    assert [str(item) for item in value.values()] == ["10.50", "100", "0.1", "-0.0", "123456789012345678901234567890"]
    assert {type(item) for item in value.values()} == {Decimal, int}


REFUSED: dict[str, list[bytes]] = {
    "empty": [b"", b" \n"],
    "constant": [b"NaN", b'{"a":Infinity}', b'{"a":-Infinity}'],
    "bom": [b"\xef\xbb\xbf{}"],
    "encoding": ['{"a":1}'.encode("utf-16"), '{"a":1}'.encode("utf-32"), b'{"a":"\xed\xa0\x80"}', b'{"a":"\xc0\xaf"}',
        b'{"a":"\xff"}', '{"a":"ü"}'.encode("latin-1")],
    "syntax": ['{"a":1}'.encode("utf-16-le"), b'{"a":"line\nbreak"}', b'{"a":"\x00"}', b'{"a":"\x1f"}', b'{"a":1,}',
        b"[1,]", b"{'a':1}", b"{a:1}", b'{"a":1} x', b"{}{}", b"{}\x00", b"\x0b{}", "\u00a0{}".encode(),
        "{}\u2003".encode(), b"01", b"+1", b".5", b"5.", b"0x10", b"1_000", "١٢".encode(), b'"\\x41"', b'"\\u12"',
        b"// no\n{}", b"tru", b"TRUE", b'{"a"', b'"open'],
    "duplicate": [b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}', b'[{"b":{"x":1,"y":2,"x":3}}]'],
    "surrogate": [b'{"a":"\\ud800"}', b'{"a":"\\uDC00x"}', b'["\\udc00\\ud800"]', b'{"\\ud800":1}', b'"\\ud83d"'],
    "digits": [b"9" * 65, b"-" + b"9" * 65, b"0." + b"1" * 64, b"1e400", b"1e64", b"1e-64", b"1E+1000000",
        b"1E-1000000", b"1e99999999999999999999", b"0e999999999", b"[1, " + b"9" * 100_000 + b"]"],
}  # fmt: skip


@pytest.mark.parametrize(("raw", "word"), [(raw, word) for word, some in REFUSED.items() for raw in some])
def test_what_parsers_disagree_about_is_refused(raw: bytes, word: str) -> None:
    assert why(raw) == word


@pytest.mark.parametrize("text", ["9" * 64, "-" + "9" * 64, "0." + "1" * 63, "1e63", "1e-63", "9" * 24 + "e40"])
def test_sixty_four_digits_written_out_are_enough(text: str) -> None:
    assert parse(text.encode()) == Decimal(text)


def test_an_exponent_is_written_out() -> None:
    assert [str(parse(one)) for one in (b"1e3", b"-1.5E+2", b"1.50e1")] == ["1000", "-150", "15.0"]


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return opening * depth + closing * depth


@pytest.mark.parametrize(
    ("raw", "accepted"),
    [
        (nested(64), True),
        (nested(65), False),
        (nested(1000), False),
        (nested(100_000), False),
        (b'{"a":' * 64 + b"1" + b"}" * 64, True),
        (b'{"a":' * 65 + b"1" + b"}" * 65, False),
        (b'{"}":' * 65 + b"1" + b"}" * 65, False),
        (b'{"]}\\"}":' * 65 + b"1" + b"}" * 65, False),
        (b'{"\\\\":[' * 33 + b"1" + b"]}" * 33, False),
        (b'{"\\\\":[' * 32 + b"1" + b"]}" * 32, True),
        (b'["{{{{", "' + b"[" * 500 + b'"]', True),
        (b"[" + b"{}," * 500 + b"[{}]]", True),
        (b"[" + b"[]," * 500 + nested(64) + b"]", False),
    ],
)
def test_containers_nest_sixty_four_deep_and_brackets_in_texts_do_not_count(raw: bytes, accepted: bool) -> None:
    if accepted:
        parse(raw)
    else:
        assert why(raw) == "depth"


def test_a_long_cut_text_is_malformed_not_deep() -> None:
    assert why(b'{"data":[' + b'{"a":1},' * 500) == "syntax"


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 2_000_000, b'{"a":' * 400_000, b'"' + b'\\"' * 1_000_000, b"9" * 4_000_000, b"0." + b"9" * 4_000_000,
        b"1e" + b"9" * 4_000_000, b'{"a":"' + b"x" * 4_000_000, b"[" + b'{"a":1,"a":1},' * 100_000 + b"0]",
        b'{"\\":' + b"[" * 500_000 + b"]" * 500_000,
    ],
)  # fmt: skip
def test_hostile_text_is_refused(raw: bytes) -> None:
    """They are so long that what takes quadratic time would not end."""
    with pytest.raises(JsonProblem):
        parse(raw)


def test_one_of_many_keys_is_reported_as_repeated() -> None:
    """They are so many that comparing each with each would not end."""
    keys = ",".join(f'"k{number}":1' for number in range(200_000))
    _, again = parse_reporting(f'{{{keys},"k7":2}}'.encode())
    assert again == ["/k7"]


def test_a_text_over_the_size_is_not_looked_at() -> None:
    assert why(b'"' + b"x" * 100, max_bytes=100) == "too_large"
    assert parse(b'"' + b"x" * 98 + b'"', max_bytes=100) == "x" * 98


@pytest.mark.parametrize("given", ["{}", bytearray(b"{}"), memoryview(b"{}"), {}, None])
def test_only_bytes_are_read(given: object) -> None:
    with pytest.raises(InvalidArgument, match="raw bytes"):
        parse(given)  # type: ignore[arg-type]  # the misuse under test


SECRET = "4111111111111111"


@pytest.mark.parametrize(
    "raw",
    [
        f'{{"card":"{SECRET}",}}'.encode(),
        f'{{"{SECRET}":1,"{SECRET}":2}}'.encode(),
        f'{{"card":"{SECRET}\\ud800"}}'.encode(),
        f'{{"card":"{SECRET}"}} {SECRET}'.encode(),
        f'{{"card":"{SECRET}","n":NaN}}'.encode(),
        f'{{"card":{SECRET * 5}}}'.encode(),
        f'{{"card":"{SECRET}'.encode() + b'\xff"}',
        f"{SECRET}".encode("utf-16"),
    ],
)
def test_no_error_carries_the_document(raw: bytes) -> None:
    reports_repeats = raw.count(b'"4111111111111111":') > 1
    for read in (parse,) if reports_repeats else (parse, parse_reporting):
        with pytest.raises(JsonProblem) as caught:
            read(raw)
        error = caught.value
        assert error.__cause__ is None
        assert error.__context__ is None
        assert SECRET not in "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
        # What an error tracker sees: the locals of every frame of this library.
        own = [
            frame
            for frame, _ in traceback.walk_tb(error.__traceback__)
            if "paywright_runtime" in frame.f_code.co_filename
        ]
        assert own
        assert SECRET not in "".join(repr(frame.f_locals) for frame in own)
        assert SECRET.encode() not in pickle.dumps(error)
        assert str(error).startswith(WHY[error.why])


@pytest.mark.parametrize(
    ("raw", "value", "pointers"),
    [
        (b'{"a":1,"b":2}', {"a": 1, "b": 2}, []),
        (b'{"a":1,"a":2}', {"a": 2}, ["/a"]),
        (b'{"a":1,"\\u0061":2,"a":3}', {"a": 3}, ["/a"]),
        (b'{"a":{"x":1,"x":2},"b":[0,{"y~/":1,"y~/":2}]}', {"a": {"x": 2}, "b": [0, {"y~/": 2}]}, ["/a/x", "/b/1/y~0~1"]),
        (b'{"a":{"x":1,"x":2},"a":{"z":1,"z":1}}', {"a": {"z": 1}}, ["/a", "/a/z"]),
        (b'[{},{},{"":1,"":1}]', [{}, {}, {"": 1}], ["/2/"]),
    ],
)  # fmt: skip
def test_equal_keys_can_be_reported_by_pointer(raw: bytes, value: JSON, pointers: list[str]) -> None:
    assert parse_reporting(raw) == (value, pointers)


def test_reporting_refuses_everything_else_that_parse_refuses() -> None:
    for raw, word in [(b"[NaN]", "constant"), (nested(65), "depth"), (b"1e99", "digits"), (b'"\\ud800"', "surrogate")]:
        with pytest.raises(JsonProblem) as caught:
            parse_reporting(raw)
        assert caught.value.why == word


# --- writing


class Side(enum.StrEnum):
    BUY = "BUY"


class Count(enum.IntEnum):
    TWO = 2


class Shouting(str):
    def __str__(self) -> str:
        return "SOMETHING ELSE"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, False, None]}, '{"b":1,"a":[true,false,null]}'),
        ((1, [], {}, ()), "[1,[],{},[]]"),
        (Decimal("10.50"), "10.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("0E+40"), "0"),
        (Decimal("0E-10"), "0.0000000000"),
        (Decimal("-0.0"), "-0.0"),
        (-(10**64) + 1, "-" + "9" * 64),
        ({Side.BUY: Side.BUY, "n": Count.TWO}, '{"BUY":"BUY","n":2}'),
        ({Shouting("k"): Shouting("v")}, '{"k":"v"}'),
        ('ü \U0001f600 / " \\ \n \x01 \x7f \u2028', '"ü \U0001f600 / \\" \\\\ \\n \\u0001 \x7f \u2028"'),
    ],
)
def test_values_are_written_compactly_and_exactly(value: object, text: str) -> None:
    assert write(value) == text.encode()


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def circle() -> object:
    value: dict[str, object] = {}
    value["a"] = value
    return value


@pytest.mark.parametrize(
    ("value", "word", "pointer"),
    [
        (1.5, "float", ""),
        ({"data": {"totalAmount": 10.5}}, "float", "/data/totalAmount"),
        ({"a": [1, {"b~/c": {1, 2}}]}, "type", "/a/1/b~0~1c"),
        ({"a": b"bytes"}, "type", "/a"),
        ({"a": {1: "x"}}, "key", "/a"),
        ({"a": {"b": 1, None: 2}}, "key", "/a"),
        ({"a": Decimal("NaN")}, "constant", "/a"),
        ([Decimal("sNaN123")], "constant", "/0"),
        ([0, Decimal("-Infinity")], "constant", "/1"),
        ([10**64], "digits", "/0"),
        ([-(10**64)], "digits", "/0"),
        ([10**5000], "digits", "/0"),
        ({"a": Decimal("1E+64")}, "digits", "/a"),
        ({"a": Decimal("1E+100000000")}, "digits", "/a"),
        ({"a": Decimal("1E-100000000")}, "digits", "/a"),
        ({"a": Decimal("1." + "0" * 64)}, "digits", "/a"),
        ({"a": ["x", "\ud800"]}, "surrogate", "/a/1"),
        ({"a": {"\udc00": 1}}, "surrogate", "/a"),
        ({"a": {"\udc00": 1.5}}, "surrogate", "/a"),
        (deep(65), "depth", "/0" * 64),
        (circle(), "depth", "/a" * 64),
    ],
)
def test_what_has_no_exact_form_is_refused_with_its_pointer(value: object, word: str, pointer: str) -> None:
    with pytest.raises(JsonProblem) as caught:
        write(value)
    assert (caught.value.why, caught.value.pointer) == (word, pointer)
    assert caught.value.__context__ is None
    pickled = pickle.loads(pickle.dumps(caught.value))
    assert (pickled.why, pickled.pointer, str(pickled)) == (word, pointer, str(caught.value))


def test_a_value_that_is_refused_is_in_no_frame_of_the_error() -> None:
    with pytest.raises(JsonProblem) as caught:
        write({"card": SECRET, "amount": 1.5})
    own = [
        frame
        for frame, _ in traceback.walk_tb(caught.value.__traceback__)
        if "paywright_runtime" in frame.f_code.co_filename
    ]
    assert own
    assert SECRET not in "".join(repr(frame.f_locals) for frame in own)


def test_sixty_four_levels_are_written_and_read() -> None:
    assert parse(write(deep(64))) == deep(64)


# --- both

texts = st.text(st.characters(codec="utf-8"), max_size=20)
decimals = st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=None
).filter(lambda number: len(format(number, "f").strip("-")) <= 64)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**64) + 1, 10**64 - 1) | decimals | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=30,
)


@given(values)
def test_what_is_written_is_read_back_equal(value: object) -> None:
    assert parse(write(value)) == value
    assert parse_reporting(write(value)) == (value, [])


@given(values)
def test_what_is_written_is_json_to_others_too(value: object) -> None:
    assert json.loads(write(value), parse_float=Decimal) == value


@given(values)
def test_what_is_read_is_written_to_the_same_bytes(value: object) -> None:
    text = write(value)
    assert write(parse(text)) == text


@examples(300)
@given(st.text(alphabet='[]{}",:\\ \n0123456789.eE+-truefalsn\x00u\ud7ffd8é', max_size=40))
def test_any_text_is_read_as_the_standard_library_reads_it_or_refused(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    try:
        mine = parse(raw)
    except JsonProblem:
        return
    assert mine == json.loads(raw, parse_float=Decimal)


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_value_or_a_problem(raw: bytes) -> None:
    try:
        parse(raw)
    except JsonProblem as error:
        assert error.why in WHY  # noqa: PT017  # either way of ending is right


def test_a_text_that_was_cut_inside_a_character_is_marked_and_a_key_is_refused() -> None:
    read = parse(rb'{"a": ["x \ud83d", "\udc00\ud83d\udc4d"], "b": "\ud83d\udc4d"}', mends=True)
    assert read == {"a": ["x \ufffd", "\ufffd\U0001f44d"], "b": "\U0001f44d"}
    assert isinstance(read, dict)
    assert [type(one) for one in (*read["a"], read["b"])] == [CutText, CutText, str]  # type: ignore[misc]  # it is a list
    with pytest.raises(JsonProblem, match="surrogate"):
        parse(rb'{"\ud83d": 1}', mends=True)


@pytest.mark.parametrize(
    "number", ["1.7976931348623157E308", "5E-324", "-1" + "0" * 64, "0." + "3" * 65, "1e" + "9" * 99]
)
def test_a_number_of_too_many_digits_is_marked_too(number: str) -> None:
    read = parse(f'{{"max": {number}, "in": [{number}, 1E+2]}}'.encode(), mends=True)
    assert read == {"max": "\ufffd", "in": ["\ufffd", 100]}
    assert isinstance(read, dict)
    assert type(read["max"]) is CutText
    with pytest.raises(JsonProblem, match="too many digits"):
        parse(number.encode())


@pytest.mark.parametrize("cut", [b"\xed\xa0\xbd", b"\xf0", b"\xf0\x9f", b"\xf0\x9f\x91", b"\xe9", b"\xe9\x80", b"\xc3"])
def test_the_first_bytes_of_a_character_at_the_end_of_a_text_are_marked_too(cut: bytes) -> None:
    read = parse(b'{"a": "x ' + cut + '", "b": "é👍"}'.encode(), mends=True)
    assert read == {"a": "x \ufffd", "b": "é👍"}
    assert isinstance(read, dict)
    assert [type(one) for one in read.values()] == [CutText, str]
    for before, after, mends in (
        (b'{"a": "x ', b'"}', False), (b'{"', b'": 1}', True), (b'{"a": "\\', b'"}', True), (b'{"a": ', b"}", True),
        (b'{"a": "', b'\xff"}', True),
    ):  # fmt: skip
        with pytest.raises(JsonProblem):
            parse(before + cut + after, mends=mends)
