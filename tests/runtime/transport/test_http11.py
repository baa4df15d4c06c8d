"""The reader of answers, for every way in which bytes can be cut and every kind of bytes."""

import contextlib
import itertools
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.transport.http11 import ProtocolError, ResponseParser
from tests.support.examples import examples

LIMIT = 4096

tokens = st.text("abcXYZ-_.0123456789", min_size=1, max_size=12).filter(
    lambda name: name.lower() not in ("connection", "content-length", "transfer-encoding")
)
values = st.text([chr(code) for code in range(0x21, 0x100) if code != 0x7F], max_size=20).filter(
    lambda text: text == text.strip() and "\x85" not in text
)
headers = st.lists(st.tuples(tokens, values), max_size=6)
bodies = st.binary(max_size=600)


def read(answer: ResponseParser, pieces: Iterable[bytes]) -> bytes:
    steps, rest = answer.answer(), iter([piece for piece in pieces if piece])
    next(steps)
    try:
        while True:
            steps.send(next(rest, b""))
    except StopIteration as done:
        body: bytes = done.value
        return body


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def head(lines: list[tuple[str, str]]) -> bytes:
    return ("HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines) + "\r\n").encode("latin-1")


def chunked(body: bytes, places: list[int]) -> bytes:
    chunks = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in cut(body, places) if piece]
    return b"".join([*chunks, b"0\r\n\r\n"])


places = st.lists(st.integers(0, 2000), max_size=12)


@given(headers, bodies, places, st.binary(max_size=3))
def test_an_answer_in_pieces_is_one(lines: list[tuple[str, str]], body: bytes, where: list[int], rest: bytes) -> None:
    lines = [*lines, ("Content-Length", str(len(body)))]
    whole = head(lines) + body + rest
    answer = ResponseParser(LIMIT)
    assert read(answer, cut(whole, where)) == body
    assert list(answer.headers) == lines
    if not rest:
        assert answer.reusable


@given(headers, bodies, places, places)
def test_chunks_in_pieces(lines: list[tuple[str, str]], body: bytes, chunks: list[int], where: list[int]) -> None:
    whole = head([*lines, ("Transfer-Encoding", "chunked")]) + chunked(body, chunks)
    answer = ResponseParser(LIMIT)
    assert read(answer, cut(whole, where)) == body
    assert answer.reusable


@given(bodies, places, st.booleans(), st.integers(1, 700))
def test_a_cut_response_is_never_an_answer(body: bytes, where: list[int], in_chunks: bool, missing: int) -> None:
    if in_chunks:
        whole = head([("Transfer-Encoding", "chunked")]) + chunked(body, where)
    else:
        whole = head([("Content-Length", str(len(body)))]) + body
    with pytest.raises(ProtocolError) as caught:
        read(ResponseParser(LIMIT), cut(whole[: -min(missing, len(whole))], where))
    assert caught.value.reason == "connection_lost"


fragments = (
    b"HTTP/1.1 200 OK|HTTP/1.0 100 x|\r\n|\r\n\r\n|\n|:|Content-Length: 5|0|5| |-1|;|\0|\xff|hello|ffffffff".split(b"|")
)
framing = [b"Transfer-Encoding: chunked", b"Connection: close"]
pieces = st.lists(st.sampled_from([*fragments, *framing]) | st.binary(max_size=8), max_size=30)


@examples(300)
@given(pieces)
def test_any_bytes_at_all_are_an_answer_within_the_limit_or_a_named_failure(data: list[bytes]) -> None:
    answer = ResponseParser(LIMIT)
    with contextlib.suppress(ProtocolError):
        assert len(read(answer, data)) <= LIMIT
        assert answer.status is not None
        assert answer.status >= 200


@given(st.lists(st.tuples(tokens, values), min_size=1, max_size=6), st.sampled_from("\r\n\0"), st.integers(0, 30))
def test_no_control_character_in_a_header_passes(lines: list[tuple[str, str]], control: str, at: int) -> None:
    name, value = lines[-1]
    spoiled = value[:at] + control + value[at:]
    whole = head([*lines[:-1], (name, spoiled), ("Content-Length", "0")])
    with pytest.raises(ProtocolError) as caught:
        read(ResponseParser(LIMIT), [whole])
    assert caught.value.reason == "malformed_http"


MOST = 65536  # bytes of a head, of the heads of interim answers, and of trailers


def sized(count: int) -> bytes:
    """An answer whose head has so many bytes before the empty line."""
    return head([("x", "z" * (count - len("HTTP/1.1 200 OK\r\nx: \r\nContent-Length: 0"))), ("Content-Length", "0")])


def interim(count: int) -> bytes:
    """Interim answers of so many bytes, and the answer."""
    first, rest = b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\n\r\n"
    times, more = divmod(count - len(rest), len(first))
    return first * times + rest.replace(b"Early", b"Early" + b"s" * more) + sized(100)


def in_lines(begin: bytes, line: bytes, count: int) -> bytes:
    """Trailers of so many bytes without their ends, in lines that are as long as this one, and a shorter one."""
    times, more = divmod(count, len(line))
    return begin + (line + b"\r\n") * times + (b"z" * more + b"\r\n") * bool(more) + b"\r\n"


def chunk_line(count: int) -> bytes:
    return CHUNKS + b"2;" + b"e" * (count - 2) + b"\r\nhi\r\n0\r\n\r\n"


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
BOUNDS: dict[str, tuple[Callable[[int], bytes], int, str]] = {
    "a head": (sized, MOST, "too_large"),
    "interim answers": (interim, MOST, "malformed_http"),
    "trailers": (lambda count: in_lines(CHUNKS + b"0\r\n", b"z" * 1000, count), MOST, "too_large"),
    "the line of a chunk": (chunk_line, 1024, "malformed_http"),
}


@pytest.mark.parametrize("piece", [1000, 65536])
@pytest.mark.parametrize("what", BOUNDS)
def test_what_surrounds_a_body_has_a_most_and_one_byte_more_is_refused(what: str, piece: int) -> None:
    made, most, reason = BOUNDS[what]

    def answered(count: int) -> bytes:
        whole = made(count)
        return read(ResponseParser(LIMIT), (whole[at : at + piece] for at in range(0, len(whole), piece)))

    answered(most)
    with pytest.raises(ProtocolError) as caught:
        answered(most + 1)
    assert caught.value.reason == reason


def test_a_head_that_does_not_end_is_refused_for_its_length() -> None:
    with pytest.raises(ProtocolError) as caught:
        read(ResponseParser(LIMIT), [sized(MOST + 1)[:MOST], b"z"])
    assert caught.value.reason == "too_large"
