"""Where the audit takes a shorter way than the runtime, both come to the same."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, generate_private_key
from hypothesis import given
from hypothesis import strategies as st

from paywright_audit.input.body_decoding import read
from paywright_audit.input.captures import capture_reader, typed_lines
from paywright_audit.input.records import Exact, Exchange, Message
from paywright_audit.judging import memo, signatures
from paywright_audit.judging.signatures import Keys
from paywright_runtime import strict_json
from paywright_runtime.signing.rsa import RsaSigner, canonical
from tests.support.examples import examples

SIGNATURE = b64encode(bytes(range(256))).decode()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@examples(300)
@given(st.integers(0, 343), st.sampled_from("AQgwBz+/=-_ \n\xe9"), st.sampled_from(["", "A", "=", "\n"]))
def test_a_signature_is_canonical_here_where_it_is_there(at: int, what: str, more: str) -> None:
    text = SIGNATURE[:at] + what + SIGNATURE[at + 1 :] + more
    assert signatures._decoded(text) == canonical(text)
    assert signatures._decoded(SIGNATURE) == bytes(range(256))


def read_both(raw: bytes) -> None:
    value, repeated, why, *_ = read(Message((), Exact(raw)), strictly=True)
    expected: object = None
    problem = ""
    try:
        expected = strict_json.parse(raw)
    except strict_json.JsonProblem as caught:
        problem = caught.why
    if problem == "duplicate":
        assert (why, bool(repeated)) == ("", True)
        return
    assert (value, why) == (expected, problem)
    assert repr(value) == repr(expected)


@examples(400)
@given(VALUES, st.booleans(), st.sampled_from(["", " ", "\n", "x"]))
def test_a_body_is_read_as_strict_json(value: object, spaced: bool, end: str) -> None:
    text = json.dumps({"a": value}, default=str, separators=None if spaced else (",", ":"), ensure_ascii=not spaced)
    read_both((text + end).encode(errors="surrogatepass"))


def test_what_strict_json_refuses_is_refused() -> None:
    for text in (
        '{"a":1,"a":2}', '{"a":NaN}', '{"a":-Infinity}', '{"a":"\\ud800"}', '{"a":"\\uD83D\\uDE00"}', '{"a":1e400}',
        '{"a":1E2}', '{"a":1E+2}', '{"a":1E+400}', '{"a":1E-400}', '{"a":-' + "9" * 63 + ".5}",
        '{"a":' + "9" * 65 + "}", '{"a":0.' + "9" * 65 + "}", '{"a":0.' + "9" * 64 + "}", '{"a":-0.' + "9" * 63 + "}",
        '{"a":-0,"b":-0.0,"c":1e5,"d":0.0000001,"e":10.50}', '{"a":' + "9" * 64 + ',"b":-9223372036854775809}',
        '{"a":{"b":1,"b":1}}', '{"a":"\x7f\u2028\ue000"}', '{"a":"\\"\\\\\\n"}', '{"a":' + "[" * 64 + "]" * 64 + "}",
        '{"a":' + "[" * 63 + "]" * 63 + "}", '{"a":' * 2000 + "1" + "}" * 2000, "{", "", "\ufeff{}", " {}",
        '{"a":"{[{[{["}', '{"a":"' + "{" * 99 + '"}', '{"a":"\x01"}',
    ):  # fmt: skip
        read_both(text.encode())
    for raw in (b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"):
        read_both(b'{"a":"' + raw + b'"}')


def record(**more: object) -> dict[str, object]:
    side = {"headers": [["A", "b"], ["sign", "x"]], "body": {"base64": "e30="}}
    base = {"v": 1, "at": "2025-06-01T12:00:00Z", "kind": "call", "url": "http://h/", "request": side}
    return {**base, "response": {"status": 200, **side}, "source": "t", **more}


def shown(found: object) -> object:
    if not isinstance(found, Exchange):
        return type(found), getattr(found, "why", None)
    sides = [found.request] + ([found.response] if found.response else [])
    return found.url, found.kind, found.at, [
        ([tuple(pair) for pair in side.headers], side.status, type(side.body), getattr(side.body, "raw", None)) for side in sides
    ]  # fmt: skip


def line_of(made: object) -> bytes:
    return json.dumps(made, separators=(",", ":")).encode()


def test_a_line_in_the_usual_form_is_read_as_any_other() -> None:
    side = record()["request"]
    assert isinstance(side, dict)
    texts = [{**side, "body": {"text": text}} for text in ("{}", '{"a":"b\\\\\\"c"}', "\\", "")]
    usual = [record(), record(response=None), record(kind="notify"), record(url="http://h/\\")]
    usual += [record(request=one, response={"status": 200, **one}) for one in texts]
    for made in usual:
        line = line_of(made) + b"\n"
        quick = typed_lines.usual_exchange(line, 1)
        assert quick is not None
        assert shown(quick) == shown(capture_reader._record(line, 1))
    unusual: list[dict[str, object]] = [
        record(v=True), record(v=1.0), record(kind="x"), record(url=5), record(at=5), record(at="never"), record(more=1),
        record(source=1), record(source={"a": ["b"]}), record(request={**side, "headers": [["a", 5]]}),
        record(request={**side, "headers": [["a", ["b"]]]}), record(request={**side, "headers": [[["a"], "b"]]}),
        record(request={**side, "headers": ["ab"]}), record(request={**side, "headers": [["a", "b", "c"], ["d"]]}),
        record(request={**side, "headers": {"a": "b"}}), record(request={**side, "headers": [["a", "1"], ["a", "2"]]}),
        record(request={**side, "body": {"text": "\ud800"}}), record(request={**side, "body": {"text": "\xe9"}}),
        record(request={**side, "body": {"text": None}}), record(request={**side, "body": {"base64": "e30=", "text": "{}"}}),
        record(request={**side, "body": {}}), record(request={**side, "body": {"text": "a", "parsed": 1}}), record(request={**side, "body": {"base64": "*"}}),
        record(url='http://h/"'), record(response={**side, "status": 10**80}), record(response={**side, "status": 200.0}),
        record(response={**side, "status": -1}), record(v=10**80), record(at="2025-06-01T12:00:00"),
        record(response={**side, "status": True}), record(response={**side, "status": "200"}),
    ]  # fmt: skip
    for made in unusual:
        line = line_of(made)
        quick = typed_lines.usual_exchange(line, 1)
        assert quick is None or shown(quick) == shown(capture_reader._record(line, 1))
    line = line_of(record())
    for spoilt in (
        line + b" x",
        line + line,
        line[:-1],
        line.replace(b'"v"', b'"v":2,"v"'),
        line.replace(b'"url"', b'"url":"a","url"'),
        line.replace(b'{"base64"', b'{"text":"\\"","base64"'),
        line.replace(b'{"base64"', b'{"base64":"","base64"'),
        line.replace(b'"status"', b'"status":1,"status"'),
        line.replace(b'"response"', b'"response":null,"response"'),
        line.replace(b"http://h/", b"http://h/\x01"),
        line.replace(b"http://h/", b"http://h/\xff"),
        line.replace(b"http://h/", b"http://h/\xed\xa0\x80"),
        b"\xef\xbb\xbf" + line,
        b"[" * 5000,
    ):
        assert typed_lines.usual_exchange(spoilt, 1) is None


@pytest.mark.parametrize("installed", [True, False])
def test_lines_and_signatures_are_read_by_msgspec_where_it_is_installed(installed: bool) -> None:
    code = "import sys\n" + "sys.modules['msgspec'] = None\n" * (not installed)
    code += (
        "from paywright_audit.input.captures import capture_reader\nfrom paywright_audit.judging import signatures\n"
    )
    code += "print(capture_reader.usual_exchange.__module__, signatures.base64_bytes.__module__)\n"
    code += f"print(signatures._decoded({SIGNATURE!r}) == bytes(range(256)), signatures._decoded({SIGNATURE[:-4] + '=' * 4!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    modules = "captures.typed_lines input.typed_bodies" if installed else "captures.capture_reader judging.signatures"
    assert done.stdout.split() == [*(f"paywright_audit.{one}" for one in f"input.{modules}".split()), "True", "None"]


@examples(600)
@given(
    st.integers(0, 300), st.binary(max_size=4) | st.text('0123456789eE.,:{}[]" nulltrue', max_size=5).map(str.encode)
)
def test_a_damaged_line_is_never_read_otherwise(at: int, what: bytes) -> None:
    line = line_of(record())
    spoilt = line[:at] + what + line[at + len(what) :] + b"\n"
    quick = typed_lines.usual_exchange(spoilt, 1)
    if quick is not None:
        assert shown(quick) == shown(capture_reader._record(spoilt, 1))


def test_what_is_found_out_is_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "_MOST", 2)
    asked: list[str] = []
    known = memo.Memo[str, None](asked.append)
    long = "x" * 5000
    for text in ("a", "b", "a", long, long, "b", "c", "a", "c"):
        assert known[text] is None
    assert asked == ["a", "b", long, long, "c", "a"]


class CountedKey:
    """A public key that counts how often it is asked to verify."""

    def __init__(self, key: RSAPublicKey) -> None:
        self.key, self.key_size, self.asked = key, key.key_size, 0

    def verify(self, *given: Any) -> None:
        self.asked += 1
        self.key.verify(*given)

    def recover_data_from_signature(self, *given: Any) -> bytes:
        return self.key.recover_data_from_signature(*given)


def test_a_signature_of_an_equal_body_is_verified_once_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    private = generate_private_key(65537, 2048)
    signer, key = RsaSigner(private), CountedKey(private.public_key())
    monkeypatch.setattr(signatures, "RsaVerifier", lambda keys: None)
    keys = Keys([], [cast("RSAPublicKey", key)])
    few = Keys([], [cast("RSAPublicKey", key)])

    def judged(body: bytes, signature: str, keys: Keys = keys) -> str:
        return keys.judge_one(Message([("sign", signature)], Exact(body)), signature, by_merchant=False).state

    bodies = [b'{"code":"%d"}' % number for number in range(6)]
    signed = [(body, signer.sign(body)) for body in bodies]
    for body, signature in signed * 3:
        keys.last = 0
        assert (judged(body, signature), keys.last) == ("valid", 1)
    assert key.asked == len(signed)
    # An equal signature over another body, and another signature over an equal body, are verified for themselves.
    assert judged(bodies[0], signed[1][1]) == judged(bodies[1], signed[0][1]) == "invalid"
    # What is long, or was long ago, is verified again: memory stays small.
    long = b" " * 5000
    of_long = signer.sign(long)
    monkeypatch.setattr(signatures, "_REMEMBERED", 2)
    before = key.asked
    for _ in range(2):
        assert judged(long, of_long, few) == "valid"
        assert [judged(*one, few) for one in signed] == ["valid"] * 6
    assert key.asked - before == 14
