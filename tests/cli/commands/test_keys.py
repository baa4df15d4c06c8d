"""`paywright keys`: pairs are made once, judged honestly, and never shown."""

from __future__ import annotations

import gzip
import html
import json
import quopri
import stat
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from paywright import RsaSigner, RsaVerifier
from paywright_audit.input.repairs import undamaged
from paywright_runtime.signing.keys import KeyPair, load_private_key, load_public_key
from tests.cli.helpers.command_line import Ended, paywright


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with merchant.key and merchant.pub."""
    folder = tmp_path_factory.mktemp("pair")
    assert paywright("keys", "generate", "--dir", folder).code == 0
    return folder


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gateway")
    assert paywright("keys", "generate", "--dir", folder, "--name", "gateway").code == 0
    return folder / "gateway.pub"


def test_a_full_disk_leaves_no_half_of_a_key(tmp_path: Path) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    program = f"import sys; {full}; from paywright_cli.main import main; sys.exit(main(sys.argv[1:]))"
    ended = paywright("keys", "generate", "--dir", tmp_path / "secrets", program=("-c", program))
    assert (ended.code, [*tmp_path.iterdir()]) == (2, [])


def test_a_new_pair_signs_and_verifies(pair: Path) -> None:
    private, public = load_private_key(pair / "merchant.key"), load_public_key(pair / "merchant.pub")
    assert RsaVerifier([public]).verify(b"body", RsaSigner(private).sign(b"body")).raw == b"body"


def test_a_pair_is_written_for_sdks_that_read_pkcs1_alone(tmp_path: Path) -> None:
    assert paywright("keys", "generate", "--dir", tmp_path, "--pkcs1").code == 0
    assert (tmp_path / "merchant.key").read_text().startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert paywright("keys", "check", tmp_path / "merchant.key", tmp_path / "merchant.pub").code == 0


def test_the_private_key_is_for_its_owner_alone(pair: Path) -> None:
    assert stat.S_IMODE((pair / "merchant.key").stat().st_mode) == 0o600


@pytest.mark.parametrize("there", ["merchant.key", "merchant.pub"])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine")
    ended = paywright("keys", "generate", "--dir", tmp_path)
    assert ended.code == 2
    assert "nothing was written" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "merchant.key").symlink_to(tmp_path / "elsewhere")
    assert paywright("keys", "generate", "--dir", tmp_path).code == 2
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".."])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    assert paywright("keys", "generate", "--dir", tmp_path, "--name", name).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    ended = paywright("keys", "generate", "--dir", tmp_path / "new")
    assert ended.code == 0
    assert ended.out.startswith(f"{tmp_path / 'new'}  a new folder, for you alone (mode 0700)")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"merchant.key", "merchant.pub"}


@pytest.mark.parametrize("folder", ["no/such", "file", "file/new"])
def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    ended = paywright("keys", "generate", "--dir", tmp_path / folder)
    assert ended.code == 2
    assert str(tmp_path / folder) in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_no_key_could_be_written_to_is_not_left(tmp_path: Path) -> None:
    assert paywright("keys", "generate", "--dir", tmp_path / "new", "--name", "n" * 300).code == 2
    assert list(tmp_path.iterdir()) == []


def test_of_a_key_that_is_not_there_nothing_else_is_said(tmp_path: Path) -> None:
    ended = paywright("keys", "check", tmp_path / "nope.key")
    assert (ended.code, ended.err) == (2, f"paywright: {tmp_path / 'nope.key'}: No such file or directory\n")


@pytest.mark.parametrize(
    ("files", "code", "ok", "words"),
    [
        ("merchant.key merchant.pub --gateway gateway.pub", 0, 3, ""),
        ("merchant.key gateway.pub", 1, 1, "does not match"), ("merchant.key", 2, 0, ""),
        ("merchant.key --gateway merchant.pub", 1, 1, "your own public key"),
        ("merchant.pub merchant.key --gateway gateway.pub", 1, 1, "NO"),
    ],
)  # fmt: skip
def test_each_key_is_judged(pair: Path, gateway: Path, files: str, code: int, ok: int, words: str) -> None:
    named = {"merchant.key": pair / "merchant.key", "merchant.pub": pair / "merchant.pub", "gateway.pub": gateway}
    ended = paywright("keys", "check", *(named.get(one, one) for one in files.split()))
    assert (ended.code, ended.out.count("ok"), words in ended.out) == (code, ok, True), ended.out
    assert (ended.out.count("NO"), "sent" in ended.out) == (2 if words == "NO" else code == 1, False)


@pytest.mark.parametrize(("file", "kind"), [("merchant.key", "private key"), ("merchant.pub", "public key")])
def test_show_names_kind_bits_and_fingerprint(pair: Path, file: str, kind: str) -> None:
    ended = paywright("keys", "show", pair / file)
    assert ended.code == 0
    facts = dict(line.split(maxsplit=1) for line in ended.out.splitlines())
    assert facts["kind"] == kind
    assert facts["bits"] == "2048"
    assert facts["fingerprint"] == KeyPair(load_private_key(pair / "merchant.key")).fingerprint


def test_show_warns_of_a_private_key_that_others_may_read(pair: Path, tmp_path: Path) -> None:
    copy = tmp_path / "open.key"
    copy.write_bytes((pair / "merchant.key").read_bytes())
    copy.chmod(0o644)
    assert "chmod 600" in paywright("keys", "show", copy).out


@pytest.mark.parametrize("file", ["merchant.key", "merchant.pub"])
def test_the_public_line_is_what_loads_as_a_public_key(pair: Path, file: str) -> None:
    line = paywright("keys", "public-line", pair / file).out.strip()
    assert "\n" not in line
    expected = load_public_key(pair / "merchant.pub").public_numbers()
    assert load_public_key(line).public_numbers() == expected


def test_keys_come_from_standard_input_too(pair: Path) -> None:
    ended = paywright("keys", "show", "-", given=(pair / "merchant.pub").read_bytes())
    assert ended.code == 0


# Whether a key signed a message


BODY = b'{"code":"APPLY_SUCCESS","data":{"totalAmount":10.50}}'


@pytest.fixture(scope="module")
def signed(gateway: Path) -> str:
    """The gateway's signature of BODY."""
    return RsaSigner(load_private_key(gateway.with_suffix(".key"))).sign(BODY)


def verified(key: Path, body: bytes, signature: str, *more: str | Path) -> Ended:
    return paywright("keys", "verify", key, "-", "--sign", signature, *more, given=body)


def test_a_signature_that_holds_is_said_to(gateway: Path, signed: str) -> None:
    ended = verified(gateway, BODY, signed)
    assert (ended.code, ended.out, ended.err) == (0, f"ok  -, {len(BODY)} bytes: signed by {gateway}\n", "")
    assert verified(gateway.with_suffix(".key"), BODY, signed).code == 0  # its public half


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (BODY + b"\n", "The right key signed it, but over the body without the white space around it. It was changed"),
        (BODY.replace(b":", b": "), "The right key signed it, but over the body written without spaces. It was changed"),
        (BODY.replace(b"10.50", b"10.5"), "The right key signed it, but over the body with two decimals (10.50) in amounts."),
        (b"\xef\xbb\xbf" + BODY, "The right key signed it, but over the body without the byte order mark before it."),
        (BODY.replace(b"10.50", b"99.99"), "The right key signed it, but over other bytes"),
        (b"", "The right key signed it, but over other bytes"),
    ],
)  # fmt: skip
def test_what_was_signed_instead_is_found(gateway: Path, signed: str, body: bytes, words: str) -> None:
    ended = verified(gateway, body, signed)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith(f"NO  -, {len(body)} bytes: {words}")
    assert "APPLY_SUCCESS" not in ended.out
    assert signed not in ended.out


# A message with its members in the order of the specification, as the gateway signs it, and what may become of it.
ORDER = {
    "code": "APPLY_SUCCESS",
    "data": {"outTradeNo": "A/1", "status": "SUCCESS", "trade": {"amount": 10, "currency": "USD"}, "extra": ["<b> = Café"], "fee": 1.20},
}  # fmt: skip
PLAIN = (
    '{"code":"APPLY_SUCCESS","data":{"outTradeNo":"A/1","status":"SUCCESS","trade":{"amount":10.00,"currency":"USD"},'
    '"extra":["<b> = Café"],"fee":1.20}}'
)
ESCAPED = PLAIN.replace("é", "\\u00e9")
COMPACT = {"separators": (",", ":"), "ensure_ascii": False}
TWO = "with two decimals (10.50) in amounts"
BARE = "written without spaces"
ANEW = f"{BARE}, {TWO}"
DAMAGES = {
    "white space around it": (PLAIN, f"\r\n  {PLAIN}\n", "without the white space around it"),
    "its newline lost": (f"{PLAIN}\n", PLAIN, "with a newline at its end"), "its CR LF lost": (f"{PLAIN}\r\n", PLAIN, "with CR LF at its end"),
    "a byte order mark": (PLAIN, f"\ufeff{PLAIN}", "without the byte order mark before it"),
    "UTF-16, as a shell writes it": (PLAIN, PLAIN.encode("utf-16"), "in UTF-8, and not in UTF-16"),
    "Latin-1": (PLAIN, PLAIN.encode("latin-1"), "in UTF-8, and not in Latin-1"),
    "in chunks": (PLAIN, b"%x\r\n%s\r\n0\r\n\r\n" % (len(PLAIN.encode()), PLAIN.encode()), "without its chunks"),
    "in Base64": (PLAIN, b64encode(PLAIN.encode()), "decoded from Base64"), "in hexadecimal": (PLAIN, f"\\x{PLAIN.encode().hex()}", "decoded from hexadecimal"),
    "bytes escaped": (PLAIN, PLAIN.replace('"', "\\x22"), "without a database's escapes"),
    "a text in JSON": (PLAIN, json.dumps(PLAIN), "as a text in JSON"),
    "a field of CSV": (PLAIN, '"' + PLAIN.replace('"', '""') + '"', "without the quotes of CSV"),
    "quotes escaped": (PLAIN, PLAIN.replace('"', '\\"'), "without escaped quotes"),
    "a literal of Python": (PLAIN, repr(PLAIN.encode()), "as Python writes it"),
    "in HTML": (PLAIN, html.escape(PLAIN), "without the escapes of HTML"),
    "printed by curl -i": (PLAIN, f"HTTP/1.1 200 OK\r\nsign: x\r\n\r\n{PLAIN}\n", "without what stands around it"),
    "percent-encoded": (PLAIN, quote(PLAIN), "without percent-encoding"),
    "in a mail": (PLAIN, quopri.encodestring(PLAIN.encode()), "without the quoted-printable of mail"),
    "decoded wrongly": (PLAIN, PLAIN.encode().decode("latin-1"), "with its letters decoded once more (é for Ã©)"),
    "numbers rewritten": (PLAIN, PLAIN.replace("10.00", "10").replace("1.20", "1.2"), TWO),
    "numbers made floats": (PLAIN, PLAIN.replace("10.00", "10.0").replace("1.20", "1.2"), TWO),
    "numbers without decimals": (PLAIN.replace("10.00", "10.000").replace("1.20", "1.200"), PLAIN,
                                 "with three decimals (10.500) in amounts"),
    "decimals added": (PLAIN.replace("10.00", "10").replace("1.20", "1.2"), PLAIN, "with shorter numbers (10.5 for 10.50)"),
    "written anew by Python": (PLAIN, json.dumps(ORDER), ANEW),
    "written anew by Node": (PLAIN, json.dumps(ORDER, **COMPACT), TWO),
    "laid out": (PLAIN, json.dumps(ORDER, indent=4, ensure_ascii=False), ANEW),
    "its layout lost": (json.dumps(json.loads(PLAIN.replace("10.00", "10.25").replace("1.20", "1.5")), indent=2, ensure_ascii=False),
                        json.dumps(json.loads(PLAIN.replace("10.00", "10.25").replace("1.20", "1.5")), **COMPACT), "indented by 2"),
    "with its members sorted": (PLAIN, json.dumps(ORDER, sort_keys=True, indent=2),
                                f"with its members in the specification's order, {ANEW}"),
    "sorted when signed": (json.dumps(ORDER, sort_keys=True, **COMPACT), json.dumps(ORDER, **COMPACT),
                           f"with its members sorted, {BARE}"),
    "escapes of slashes lost": (PLAIN.replace("/", "\\/"), PLAIN, "with slashes escaped"),
    "slashes escaped": (PLAIN, PLAIN.replace("/", "\\/"), "without escaped slashes"),
    "escapes of letters lost": (ESCAPED, PLAIN, f"{BARE}, with other letters as \\u"),
    "letters escaped": (PLAIN, ESCAPED, BARE),
    "escapes in capitals": (ESCAPED.replace("u00e9", "u00E9"), ESCAPED, "with \\u in capitals"),
    "escapes of Go lost": (PLAIN.replace("<", "\\u003c").replace(">", "\\u003e"), PLAIN, "with < > & as \\u"),
    "all of PHP's lost": (ESCAPED.replace("/", "\\/"), json.dumps(ORDER, **COMPACT),
                          f"{BARE}, with other letters as \\u, with slashes escaped, {TWO}"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_a_damaged_body_was_is_found(damage: str) -> None:
    signed, came, words = DAMAGES[damage]
    body = came if isinstance(came, bytes) else came.encode()
    found = next((words for words, before in undamaged(body) if before == signed.encode()), None)
    assert found == words


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"data": {"list": [{"amount": 1.5, "name": "a/é<"}] * 2000}}).encode(),
        b'{"a":"' + b"x" * 20_000_000 + b'"}', b"[" * 100_000, b'"' + b"\\" * 99_999, b"\xff\xfe" + b"\xd8" * 99_999, b"",
    ],
    ids=["long", "too long", "deep", "an open string", "half pairs", "nothing"],
)  # fmt: skip
def test_no_more_is_tried_than_takes_seconds(body: bytes) -> None:
    assert sum(len(before) for _, before in undamaged(body)) < 9_000_000


def test_the_key_that_signed_is_named_if_it_is_given(pair: Path, gateway: Path, signed: str) -> None:
    own = pair / "merchant.pub"
    named = verified(own, BODY, signed, "--other", gateway)
    assert (named.code, f"Another key signed it: {gateway}, not {own}." in named.out) == (1, True)
    alone = verified(own, BODY, signed)
    fingerprint = KeyPair(load_private_key(pair / "merchant.key")).fingerprint
    assert (alone.code, "An unknown key signed it" in alone.out) == (1, True)
    assert f"{own} has the fingerprint {fingerprint}" in alone.out


@pytest.mark.slow
def test_a_message_of_a_capture_is_verified(pair: Path, gateway: Path, signed: str, tmp_path: Path) -> None:
    answer = {"status": 200, "headers": [["sign", signed]], "body": {"base64": b64encode(BODY).decode()}}
    asked = {"headers": [], "body": None}
    record = {"v": 1, "url": "https://gateway.example/x", "kind": "call", "request": asked, "response": answer}
    silent = {**record, "response": None}
    text = {**record, "response": {**answer, "body": {"text": BODY.decode() + " "}}}
    capture = tmp_path / "seen.jsonl"
    packed = {"base64": b64encode(gzip.compress(BODY)).decode()}  # as the audit, which takes it for what was signed
    gzipped = {**record, "response": {**answer, "headers": [["sign", signed], ["content-encoding", "gzip"]], "body": packed}}  # fmt: skip
    unsigned = {**record, "response": {**answer, "headers": []}}
    capture.write_text("".join(f"{json.dumps(one)}\n" for one in (record, silent, text, gzipped, unsigned)))

    def said(number: int, *more: str, key: Path = gateway) -> Ended:
        return paywright("keys", "verify", key, "--capture", capture, "--number", str(number), *more)

    ended = said(1, "--part", "response")
    assert (ended.code, ended.out) == (0, f"ok  {capture}, line 1, response: signed by {gateway}\n")
    assert "An unknown key signed it" in said(1, "--part", "response", key=pair / "merchant.pub").out
    changed = said(3, "--part", "response")
    assert (changed.code, "over the body without the white space" in changed.out) == (1, True)
    assert "not the bytes that were sent" in changed.out
    assert "has no response" in said(2, "--part", "response").err
    assert "does not have its body" in said(1).err
    assert said(4, "--part", "response").code == 0
    assert (said(5, "--part", "response").code, said(5, "--part", "response").err) == (1, "")
    assert "There is no sign header" in said(5, "--part", "response").out
    assert (said(6).code, "no exchange with the number 6" in said(6).err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give BODY with --sign, or --capture with --number"), (("body.json",), "give BODY with --sign"),
        (("--capture", "seen.jsonl"), "--capture with --number"), (("nothing-here", "--sign", "x"), "No such file"),
        (("body.json", "--sign", "x", "--number", "1"), "give BODY with --sign"),
        (("-", "--sign", "x", "--other", "-"), "only one of the files can be standard input"),
        (("-", "--sign", "x", "--other", "pyproject.toml"), "pyproject.toml: The key cannot be used"),
    ],
)  # fmt: skip
def test_what_cannot_be_verified_is_refused_with_words(gateway: Path, arguments: tuple[str, ...], words: str) -> None:
    ended = paywright("keys", "verify", gateway, *arguments, given=b"{}")
    assert (ended.code, words in ended.err) == (2, True), ended.err


def _pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


UNFIT = {
    "1024 bits": _pem(rsa.generate_private_key(65537, 1024)),
    "not RSA": _pem(ec.generate_private_key(ec.SECP256R1())),
    "its public half, EC":
        ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    "nothing": b"", "noise": bytes(range(256)) * 20, "a lot": b"A" * 1_000_000,
    "UTF-16": "-----BEGIN".encode("utf-16"),
    "cut": b"-----BEGIN PRIVATE KEY-----\nMIIEvQ",
}  # fmt: skip


@pytest.mark.parametrize("command", ["keys show", "keys public-line", "audit capture --merchant-key"])
@pytest.mark.parametrize("what", UNFIT)
def test_an_unfit_key_is_explained_and_not_shown(command: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / "unfit"
    file.write_bytes(UNFIT[what])
    ended = paywright(*command.split(), file)
    assert (ended.code, "cannot be used" in ended.err, "sent" in ended.err) == (2, True, False)
    assert "MII" not in ended.err + ended.out


def test_no_command_prints_private_material(pair: Path, gateway: Path) -> None:
    secret = "".join((pair / "merchant.key").read_text().splitlines()[1:-1])
    one_piece = secret.replace("/", "_")
    for command in (
        ["keys", "show", pair / "merchant.key"],
        ["keys", "public-line", pair / "merchant.key"],
        ["keys", "show", secret[500:800]],  # which somebody takes for what FILE is
        ["keys", "check", pair / "merchant.key", pair / "merchant.pub", "--gateway", gateway],
        ["audit", "-", "--gateway-key", one_piece],
        ["call", "orders.query", "outTradeNo=1", "--env", one_piece],
    ):
        ended = paywright(*command)
        # The public half is part of the private file: what must not appear is what lies behind it.
        shown = (ended.out + ended.err).replace("_", "/")
        assert not any(secret[i : i + 24] in shown for i in range(500, len(secret) - 24))
