"""Keys: every spelling in use is read, every wrong one is explained, and no explanation shows key material."""

import base64
import copy
import pickle
import re
import shutil
import stat
import subprocess
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    pkcs7,
    pkcs12,
)
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from paywright_cli.commands.key_reading import any_key, private_key, public_key
from paywright_runtime.errors import InvalidArgument, KeyProblem
from paywright_runtime.signing.key_text import _BLOCK
from paywright_runtime.signing.keys import KeyPair, fingerprint, load_private_key, load_public_key
from tests.support.examples import examples
from tests.support.keys import key_pair

PAIR = key_pair(0)
OTHER = key_pair(1)


def private_bytes(encoding: Encoding, form: PrivateFormat, password: bytes | None = None) -> bytes:
    lock = BestAvailableEncryption(password) if password else NoEncryption()
    return PAIR.private.private_bytes(encoding, form, lock)


def one_line(pem: str) -> str:
    return "".join(line for line in pem.splitlines() if "-----" not in line)


def certificate(pair: KeyPair | ec.EllipticCurvePrivateKey) -> x509.Certificate:
    key = pair.private if isinstance(pair, KeyPair) else pair
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gateway.example")])
    start = datetime(2025, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + timedelta(days=1))
    return builder.sign(key, hashes.SHA256())


PKCS8 = private_bytes(Encoding.PEM, PrivateFormat.PKCS8).decode()
PKCS1 = private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL).decode()
SPKI = PAIR.public_pem
PKCS1_PUBLIC = PAIR.public.public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode()
CERTIFICATE = certificate(PAIR).public_bytes(Encoding.PEM).decode()

SPELLINGS: dict[str, Callable[[str], str | bytes]] = {
    "PEM": lambda pem: pem,
    "PEM as bytes": lambda pem: pem.encode(),
    "PEM with a byte order mark": lambda pem: b"\xef\xbb\xbf" + pem.encode(),
    "PEM with CRLF": lambda pem: pem.replace("\n", "\r\n"),
    "PEM with CR": lambda pem: pem.replace("\n", "\r"),
    "PEM with literal backslash-n": lambda pem: pem.replace("\n", "\\n"),
    "PEM with literal backslash-r-backslash-n": lambda pem: pem.replace("\n", "\\r\\n"),
    "PEM escaped twice": lambda pem: pem.replace("\n", "\\\\n"),
    "PEM with spaces for line breaks": lambda pem: pem.replace("\n", " "),
    "PEM without line breaks": lambda pem: pem.replace("\n", ""),
    "PEM in double quotes": lambda pem: f'"{pem}"\n',
    "PEM in single quotes": lambda pem: f"'{pem.strip()}'",
    "PEM after a comment": lambda pem: f"Bag Attributes\n  friendlyName: Schlüssel\n{pem}",
    "PEM indented": lambda pem: "".join(f"    {line}\n" for line in pem.splitlines()),
    "one line": one_line,
    "one line as bytes": lambda pem: one_line(pem).encode(),
    "one line and a line break": lambda pem: one_line(pem) + "\r\n",
    "one line in quotes": lambda pem: f' "{one_line(pem)}" ',
    "Base64 in lines, no header": lambda pem: "\n".join(pem.splitlines()[1:-1]),
    "DER": lambda pem: base64.b64decode(one_line(pem)),
    "Base64 of the PEM, as secret stores keep files": lambda pem: base64.b64encode(pem.encode()),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("pem", [PKCS8, PKCS1], ids=["PKCS#8", "PKCS#1"])
def test_a_private_key_is_read_in_every_spelling(pem: str, spelling: str, tmp_path: Path) -> None:
    source = SPELLINGS[spelling](pem)
    assert load_private_key(source).private_numbers() == PAIR.private.private_numbers()
    file = tmp_path / "merchant.key"
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    assert load_private_key(file).public_key() == PAIR.public


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("pem", [SPKI, PKCS1_PUBLIC, CERTIFICATE], ids=["SPKI", "PKCS#1", "X.509"])
def test_a_public_key_is_read_in_every_spelling(pem: str, spelling: str, tmp_path: Path) -> None:
    source = SPELLINGS[spelling](pem)
    assert load_public_key(source).public_numbers() == PAIR.public.public_numbers()
    file = tmp_path / "gateway.pub"
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    assert PAIR.public == load_public_key(file)


@examples(60)
@given(
    st.sampled_from([SPKI, PKCS1_PUBLIC]),
    st.lists(st.tuples(st.integers(0, 500), st.sampled_from(" \t\r\n")), max_size=12),
)
def test_white_space_anywhere_in_a_line_of_base64_does_not_matter(pem: str, spaces: list[tuple[int, str]]) -> None:
    line = one_line(pem)
    for place, space in spaces:
        line = line[:place] + space + line[place:]
    assert PAIR.public == load_public_key(line)


def test_a_private_key_beside_its_certificate_is_found() -> None:
    assert load_private_key(CERTIFICATE + PKCS8).public_key() == PAIR.public
    assert load_private_key(PKCS1 + SPKI).public_key() == PAIR.public


# --- what is refused


def pem_of(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | dsa.DSAPrivateKey,
) -> tuple[str, str]:
    return (
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
    )


CURVE_KEY = ec.generate_private_key(ec.SECP256R1())
CURVE, CURVE_PUBLIC = pem_of(CURVE_KEY)
EDWARDS, EDWARDS_PUBLIC = pem_of(ed25519.Ed25519PrivateKey.generate())
SEC1 = CURVE_KEY.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
CURVE_CERTIFICATE = certificate(CURVE_KEY).public_bytes(Encoding.PEM).decode()
LOCKED8 = private_bytes(Encoding.PEM, PrivateFormat.PKCS8, b"password").decode()
LOCKED1 = private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, b"password").decode()
OPENSSH = private_bytes(Encoding.PEM, PrivateFormat.OpenSSH).decode()
OPENSSH_PUBLIC = PAIR.public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
REQUESTED = x509.CertificateSigningRequestBuilder(x509.Name([])).sign(PAIR.private, hashes.SHA256())
REQUEST = REQUESTED.public_bytes(Encoding.PEM).decode()


def tlv(tag: int, *parts: bytes) -> bytes:
    """An element of DER with more than 255 bytes, or one with less than 128."""
    content = b"".join(parts)
    return (
        bytes([tag, 0x82]) + len(content).to_bytes(2) + content
        if len(content) > 255
        else bytes([tag, len(content)]) + content
    )


def number(value: int) -> bytes:
    return tlv(2, value.to_bytes(value.bit_length() // 8 + 1))


# The algorithm RSASSA-PSS, as `openssl genpkey -algorithm RSA-PSS` has it.
ALONE = tlv(0x30, bytes.fromhex("06092a864886f70d01010a"))
PSS = tlv(0x30, number(0), ALONE, tlv(4, private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL)))
PSS_PUBLIC = tlv(0x30, ALONE, tlv(3, b"\0", PAIR.public.public_bytes(Encoding.DER, PublicFormat.PKCS1)))
PSS_CERTIFICATE = PSS_PUBLIC.join(
    certificate(PAIR)
    .tbs_certificate_bytes[4:]
    .split(PAIR.public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
)
PSS_CERTIFICATE = tlv(
    0x30, tlv(0x30, PSS_CERTIFICATE), bytes.fromhex("300d06092a864886f70d01010b0500"), tlv(3, b"\0", b"s" * 256)
)
STORE = pkcs12.serialize_key_and_certificates(b"a", PAIR.private, certificate(PAIR), None, NoEncryption())
BUNDLE = pkcs7.serialize_certificates([certificate(PAIR)], Encoding.DER)
BUNDLE_PEM = pkcs7.serialize_certificates([certificate(PAIR)], Encoding.PEM).decode()
PRIMES = tlv(
    0x30, number(1), *(number(1 << 2040) for _ in range(8)), tlv(0x30, tlv(0x30, *(number(1 << 600) for _ in range(3))))
)
PRIMES_8 = tlv(0x30, number(0), bytes.fromhex("300d06092a864886f70d0101010500"), tlv(4, PRIMES))
DER = base64.b64decode(one_line(PKCS8))
PADDED = next(der for der in (DER, base64.b64decode(one_line(PKCS1))) if len(der) % 3)
# Of each the source, and words of the command that converts it. Of what tools write, the beginning is stored: that is what is looked at.
FORMS: dict[str, tuple[str | bytes, str]] = {
    "PKCS#12": (STORE, "PKCS#12 store .* `openssl pkcs12 -in FILE -nocerts"),
    "PKCS#12 as Base64": (base64.b64encode(STORE), "PKCS#12 store"),
    "JKS": (bytes.fromhex("feedfeed00000002") + bytes(99), "Java key store .* `keytool -importkeystore"),
    "JCEKS": (bytes.fromhex("cececece00000002") + bytes(99), "Java key store"),
    "a Microsoft blob": (
        bytes.fromhex("0702000000a40000") + b"RSA2" + bytes(99),
        "Microsoft key blob.* -inform MSBLOB",
    ),
    "PKCS#7": (BUNDLE, r"PKCS#7, \.p7b.* `openssl pkcs7"),
    "PKCS#7 as PEM": (BUNDLE_PEM, "PKCS#7"),
    "three primes": (PRIMES, "three primes or more.*paywright keys generate"),
    "three primes in PKCS#8": (PRIMES_8, "three primes or more"),
    "PuTTY": ("PuTTY-User-Key-File-3: ssh-rsa\r\nEncryption: none\r\nComment: a\r\n", "PuTTY key.*`puttygen FILE"),
    ".NET XML": ("<RSAKeyValue><Modulus>0w==</Modulus><D>0w==</D></RSAKeyValue>", r"XML of \.NET.*ExportPkcs8PrivateKeyPem"),
    "JWK": ('{"kty": "RSA", "n": "0w", "e": "AQAB", "d": "0w"}', "JSON Web Key.*`node -e.*createPrivateKey"),
    "a public JWK": ('{"kty": "RSA", "n": "0w", "e": "AQAB"}', "JSON Web Key.*createPublicKey"),
    "PVK": (bytes.fromhex("1ef1b5b0") + bytes(99), "PVK.* -inform PVK"),
    "ssh.com": ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56w\n", "ssh.com: convert it with `puttygen"),
    "openssl rsa -text": ("Private-Key: (2048 bit, 2 primes)\nmodulus:\n    00:b1:\n", "what openssl prints of a key"),
    "SSH2": ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3\n---- END SSH2 PUBLIC KEY ----", "SSH2 public key.*`ssh-keygen -i"),
    "hexadecimal": (DER.hex(), "hexadecimal.*`xxd -r -p"),
    "hexadecimal with colons": (DER.hex(":"), "hexadecimal"),
    "URL-safe Base64": (base64.urlsafe_b64encode(DER), "URL-safe alphabet.*`tr"),
    "URL-safe Base64, unpadded": (base64.urlsafe_b64encode(DER).rstrip(b"="), "URL-safe alphabet|without its padding"),
    "Base64 without padding": (base64.b64encode(PADDED).rstrip(b"="), "without its padding: add ="),
}  # fmt: skip

WRONG_PRIVATE: list[tuple[str, str | bytes, str, str]] = [
    ("a public key", SPKI, "public", "this is a public key, a private one is needed"),
    ("a public key on one line", one_line(SPKI), "public", "this is a public key"),
    ("a PKCS#1 public key", one_line(PKCS1_PUBLIC), "public", "this is a public key"),
    ("a certificate", CERTIFICATE, "certificate", "this is a certificate, a private key is needed"),
    ("a certificate on one line", one_line(CERTIFICATE), "certificate", "this is a certificate"),
    ("a curve key", CURVE, "not_rsa", "an EC private key"),
    ("a curve key on one line", one_line(CURVE), "not_rsa", "an EC private key"),
    ("a SEC1 curve key", SEC1, "not_rsa", "an EC private key"),
    ("an Edwards key", EDWARDS, "not_rsa", "Ed25519"),
    ("encrypted PKCS#8", LOCKED8, "encrypted", "remove the password"),
    ("encrypted PKCS#8 on one line", one_line(LOCKED8), "encrypted", "remove the password"),
    ("encrypted PKCS#1", LOCKED1, "encrypted", "remove the password"),
    ("OpenSSH", OPENSSH, "openssh", "ssh-keygen"),
    ("OpenSSH public", OPENSSH_PUBLIC, "openssh", "OpenSSH"),
    ("a certificate request", REQUEST, "request", "certificate request"),
    ("two keys", PKCS8 + OTHER.private_pem, "several", "2 keys"),
    ("headers without end", "-----BEGIN A-----" * 3800, "cut", "footer"),
    ("footers without end", "-----BEGIN A-----" + "-----END B-----" * 4200, "cut", "footer"),
    ("nothing", "", "empty", "is empty"),
    ("quotes around nothing", ' "" \n', "empty", "is empty"),
    ("no bytes", b"", "empty", "is empty"),
    ("no footer", PKCS8[:900], "cut", "footer"), ("no first line", PKCS8.partition("\n")[2], "cut", "header or footer line is missing"),
    ("another footer", PKCS8.replace("END PRIVATE", "END RSA PRIVATE"), "cut", "the two differ"),
    ("no header", PKCS8[30:], "cut", "header"),
    ("half a line", one_line(PKCS8)[:800], "damaged", "part of it may be missing"),
    ("an odd part of a line", one_line(PKCS8)[:801], "base64", "part of it may be missing"),
    ("a changed number", one_line(PKCS8)[:700] + "AAAA" + one_line(PKCS8)[704:], "damaged", "may be missing or changed"),
    ("RSASSA-PSS alone", PSS, "pss", "marked for RSASSA-PSS alone"),
    ("URL-safe Base64", one_line(PKCS8).replace("+", "-").replace("/", "_"), "base64", "not Base64"),
    ("no key at all", "<your private key>", "base64", "not Base64"),
    ("letters of other scripts", "\u041c\u0406\u0406\u0415vQIBADANBg", "base64", "not Base64"),
    ("UTF-16", PKCS8.encode("utf-16"), "encoding", "UTF-16"),
    ("binary", b"\x00\x01\x02\x03", "encoding", "binary"),
    ("DER cut short", base64.b64decode(one_line(PKCS8))[:-5], "damaged", "may be missing or changed"),
    ("DER and more", base64.b64decode(one_line(PKCS8)) + b"\x00", "damaged", "may be missing or changed"),
    ("a relative path", "merchant.key", "path", "pathlib.Path"),
    ("a path", "/etc/paywright/merchant_key", "path", "pathlib.Path"),
    ("a path in home", "~/keys/merchant", "path", "pathlib.Path"),
    ("a dotted path", "../keys/merchant", "path", "pathlib.Path"),
    ("a Windows path", "C:\\keys\\new.pem", "path", "pathlib.Path"),
    ("a part with a slash in front", "/" + "A" * 399, "damaged", "may be missing or changed"),
    ("far too much", "A" * 100_000, "too_large", "too large"),
]  # fmt: skip

WRONG_PUBLIC: list[tuple[str, str | bytes, str, str]] = [
    ("a private key", PKCS8, "private", "this is a private key, a public one is needed"),
    ("a private key on one line", one_line(PKCS1), "private", "this is a private key"),
    ("a pair", SPKI + PKCS8, "private", "this is a private key"),
    ("an encrypted private key", LOCKED8, "encrypted", "encrypted"),
    ("a curve key", CURVE_PUBLIC, "not_rsa", "an EC public key"),
    ("a curve certificate", CURVE_CERTIFICATE, "not_rsa", "an EC public key"),
    ("an Edwards key", EDWARDS_PUBLIC, "not_rsa", "Ed25519"),
    ("OpenSSH", OPENSSH_PUBLIC, "openssh", "ssh-keygen"),
    ("two keys", SPKI + OTHER.public_pem, "several", "2 keys"),
    ("a certificate request", REQUEST, "request", "certificate request"),
    ("a cut line", one_line(SPKI)[:-8], "damaged", "may be missing or changed"),
    ("RSASSA-PSS alone", PSS_PUBLIC, "pss", "marked for RSASSA-PSS alone"),
    ("a certificate of RSASSA-PSS alone", PSS_CERTIFICATE, "pss", "marked for RSASSA-PSS alone"),
    ("a path", "keys/gateway.pub", "path", "pathlib.Path"),
    ("nothing", " \n", "empty", "is empty"),
]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_not_read_has_its_name_and_the_command_that_converts_it(form: str) -> None:
    source, words = FORMS[form]
    raw = source if isinstance(source, bytes) else source.encode()
    with pytest.raises(KeyProblem, match=words) as caught:
        private_key(raw)
    assert caught.value.why == "form"
    assert_shows_nothing(caught.value, raw)
    with pytest.raises(KeyProblem):
        load_private_key(raw)


PASSWORDS = {"keytool": " -srcstorepass a1b2c3 -deststorepass a1b2c3", "openssl pkcs12": " -passin pass:a1b2c3"}
MADE = (  # of a key as PKCS#8 (key.pem) and PKCS#1 (rsa.pem), its public half (key.pub) and its certificate (cert.pem)
    "openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass:a1b2c3 -out made",
    "keytool -importkeystore -srckeystore key.p12 -destkeystore made -deststoretype JKS",
    "openssl rsa -in key.pem -outform MSBLOB -out made", "openssl rsa -in key.pem -pubout -outform MSBLOB -out made",
    "openssl rsa -in key.pem -outform PVK -pvk-none -out made", "openssl crl2pkcs7 -nocrl -certfile cert.pem -out made",
    "puttygen rsa.pem -O private -o made", "puttygen rsa.pem -O private-sshcom -o made",
    "ssh-keygen -i -m PKCS8 -f key.pub > ssh.pub; ssh-keygen -e -f ssh.pub > made",
    """node -p 'JSON.stringify(crypto.createPrivateKey(fs.readFileSync("key.pem")).export({format: "jwk"}))' > made""",
    """node -p 'JSON.stringify(crypto.createPublicKey(fs.readFileSync("key.pub")).export({format: "jwk"}))' > made""",
    "xxd -p key.pem > made", "grep -v -- ----- key.pem | tr -d '\\n' | tr -- +/ -_ > made",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("makes", MADE)
def test_what_a_tool_makes_has_its_name_and_the_named_command_converts_it(makes: str, tmp_path: Path) -> None:
    if shutil.which(makes.split()[0]) is None:
        pytest.skip(f"{makes.split()[0]} is not installed; the beginning of what it makes is stored above")
    for name, text in {"key.pem": PKCS8, "rsa.pem": PKCS1, "key.pub": SPKI, "cert.pem": CERTIFICATE}.items():
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text(text)
    (tmp_path / "key.p12").write_bytes(
        pkcs12.serialize_key_and_certificates(
            b"a", PAIR.private, certificate(PAIR), None, BestAvailableEncryption(b"a1b2c3")
        )
    )

    def run(command: str, folder: Path) -> bytes:
        command += next((more for program, more in PASSWORDS.items() if command.startswith(program)), "")
        return subprocess.run(command, shell=True, cwd=folder, capture_output=True, check=True, timeout=600).stdout

    run(makes, tmp_path)
    new = tmp_path / "new"
    new.mkdir()
    made = (tmp_path / "made").rename(new / "made")
    with pytest.raises(KeyProblem, match="convert it with") as caught:
        any_key(str(made))
    for command in re.findall("`(.+?)`", str(caught.value).partition("convert it with")[2].partition("Give the")[0]):
        (new / "printed").write_bytes(run(command.replace("FILE", "made"), new))
    converted = [path for path in new.iterdir() if path.suffix in (".pem", ".der")] or [new / "printed"]
    assert PAIR.public == any_key(str(converted[0]))[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OPENSSH, "private key cannot be used: .*`ssh-keygen -p"),
        (f"{OPENSSH_PUBLIC} me@here", "public key cannot be used: .*`ssh-keygen -e"), (REQUEST, "public key cannot be used: .*`openssl req"),
        (FORMS["a public JWK"][0], "^The key cannot be used: .*createPublicKey"),
    ],
    ids=["OpenSSH", "OpenSSH, public", "a request", "a public JWK"],
)  # fmt: skip
def test_what_holds_no_private_key_is_not_called_one(text: str | bytes, words: str, tmp_path: Path) -> None:
    (file := tmp_path / "some").write_text(str(text))
    with pytest.raises(KeyProblem, match=words):
        any_key(str(file))


def test_a_store_is_converted_by_other_commands_for_a_public_key() -> None:
    with pytest.raises(KeyProblem, match="`openssl pkcs12 -in FILE -nokeys"):
        public_key(STORE)


def assert_shows_nothing(error: KeyProblem, source: str | bytes) -> None:
    text = source if isinstance(source, str) else source.decode("latin-1")
    shown = "".join(traceback.format_exception(error)) + repr(error)
    assert error.__context__ is None
    for line in text.split():
        for start in range(0, len(line) - 16, 16):
            piece = line[start : start + 16]
            assert piece not in shown, "a piece of the key is shown"


@pytest.mark.parametrize(
    ("source", "why", "words"), [case[1:] for case in WRONG_PRIVATE], ids=[c[0] for c in WRONG_PRIVATE]
)
def test_a_wrong_private_key_is_explained_without_showing_it(source: str | bytes, why: str, words: str) -> None:
    with pytest.raises(KeyProblem, match=words) as caught:
        load_private_key(source)
    assert caught.value.why == why
    assert "Nothing was sent" in str(caught.value)
    assert_shows_nothing(caught.value, source if why != "path" else "")
    if isinstance(source, str) and why == "cut":  # the command has no other name for it
        with pytest.raises(KeyProblem, match=words):
            private_key(source.encode())


@pytest.mark.parametrize(
    ("source", "why", "words"), [case[1:] for case in WRONG_PUBLIC], ids=[c[0] for c in WRONG_PUBLIC]
)
def test_a_wrong_public_key_is_explained_without_showing_it(source: str | bytes, why: str, words: str) -> None:
    with pytest.raises(KeyProblem, match=words) as caught:
        load_public_key(source)
    assert caught.value.why == why
    assert_shows_nothing(caught.value, source if why != "path" else "")


@pytest.mark.parametrize(
    ("bits", "exponent", "why", "words"),
    [
        (1024, 65537, "size", "1024 bits"), (2056, 65537, "size", "2056 bits"), (3072, 65537, "size", "3072 bits"),
        (2048, 3, "exponent", "public exponent is unsafe"),
    ],
)  # fmt: skip
def test_a_key_of_another_size_or_exponent_is_refused(bits: int, exponent: int, why: str, words: str) -> None:
    private, public = pem_of(
        rsa.generate_private_key(exponent, bits)
    )  # made here: it takes long, and all workers collect
    test_a_wrong_private_key_is_explained_without_showing_it(private, why, words)
    test_a_wrong_public_key_is_explained_without_showing_it(public, why, words)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "no.key"
    with pytest.raises(KeyProblem, match=r"no\.key does not exist") as caught:
        load_private_key(missing)
    assert caught.value.why == "not_found"
    with pytest.raises(KeyProblem, match="is a directory"):
        load_private_key(tmp_path)
    large = tmp_path / "large.key"
    large.write_bytes(b"A" * 70_000)
    with pytest.raises(KeyProblem, match="too large"):
        load_private_key(large)
    empty = tmp_path / "empty.key"
    empty.touch()
    with pytest.raises(KeyProblem, match="is empty"):
        load_public_key(empty)


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed.key"
    closed.write_text(PKCS8)
    closed.chmod(0)
    try:
        closed.read_bytes()
    except PermissionError:
        pass
    else:  # whoever may read everything meets the same refusal by hand

        def refused(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(KeyProblem, match="may not be read by this user"):
        load_private_key(closed)
    monkeypatch.undo()
    closed.chmod(stat.S_IRUSR | stat.S_IWUSR)


@pytest.mark.parametrize(
    "text",
    [PKCS8, one_line(PKCS8), one_line(SPKI), SPKI, one_line(PKCS8)[:250], one_line(PKCS8)[400:650].replace("/", "+")],
    ids=["private", "private on a line", "public on a line", "public", "a part", "a later part"],
)
def test_key_text_given_as_a_path_is_not_repeated(text: str) -> None:
    with pytest.raises(KeyProblem, match="pass it as str") as caught:
        load_private_key(Path(text))
    assert_shows_nothing(caught.value, text)


@pytest.mark.parametrize("source", [None, 5, PAIR.private, ["key"]])
def test_other_types_are_refused(source: object) -> None:
    with pytest.raises(InvalidArgument, match=r"pathlib\.Path, a str or bytes"):
        load_private_key(source)  # type: ignore[arg-type]  # the misuse under test


# --- pairs


def test_a_generated_pair_reads_back_in_each_of_its_spellings() -> None:
    assert PAIR.private.key_size == 2048
    assert PAIR.public.public_numbers().e == 65537
    assert load_private_key(PAIR.private_pem).public_key() == PAIR.public
    for public in (PAIR.public_pem, PAIR.public_line):
        assert fingerprint(load_public_key(public)) == PAIR.fingerprint
    assert PAIR.private_pem.startswith("-----BEGIN PRIVATE KEY-----\n")
    assert PAIR.public_pem.startswith("-----BEGIN PUBLIC KEY-----\n")
    assert PAIR.public_line.startswith("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A")
    assert len(PAIR.public_line) == 392


def test_a_fingerprint_names_the_key_and_not_its_spelling() -> None:
    assert fingerprint(load_public_key(PKCS1_PUBLIC)) == fingerprint(load_public_key(CERTIFICATE)) == PAIR.fingerprint
    assert PAIR.fingerprint != OTHER.fingerprint
    assert len(PAIR.fingerprint) == 16


def test_a_pair_shows_and_pickles_nothing() -> None:
    assert repr(PAIR) == f"KeyPair(fingerprint='{PAIR.fingerprint}')"
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="private key"):
            leak(PAIR)


def der(tag: int, content: bytes) -> bytes:
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8 or 1)
    return bytes([tag]) + (length if len(content) < 128 else bytes([128 + len(length)]) + length) + content


def with_numbers(changes: dict[str, int]) -> bytes:
    """A private key as PKCS#1 has it, with some numbers changed."""
    key = PAIR.private.private_numbers()
    public = key.public_numbers
    numbers = {
        "version": 0, "n": public.n, "e": public.e, "d": key.d, "p": key.p, "q": key.q,
        "dmp1": key.dmp1, "dmq1": key.dmq1, "iqmp": key.iqmp,
    }  # fmt: skip
    each = (one.to_bytes(one.bit_length() // 8 + 1) for one in (numbers | changes).values())
    body = base64.encodebytes(der(0x30, b"".join(der(2, one) for one in each)))
    return b"-----BEGIN RSA PRIVATE KEY-----\n" + body + b"-----END RSA PRIVATE KEY-----\n"


def test_a_key_of_numbers_that_belong_together_is_loaded() -> None:
    assert load_private_key(with_numbers({})).private_numbers() == PAIR.private.private_numbers()


def of_factors(p: int, q: int) -> dict[str, int]:
    """Numbers that fit together whatever the factors are."""
    d = pow(65537, -1, (p - 1) * (q - 1))
    return {"n": p * q, "d": d, "p": p, "q": q, "dmp1": d % (p - 1), "dmq1": d % (q - 1), "iqmp": pow(q, -1, p)}


WHOLE = PAIR.private.private_numbers()
MADE = of_factors(WHOLE.p, WHOLE.q)
FIVE = next(one for one in count(WHOLE.p + 2, 2) if one % 5 == 0 and (one - 1) % 65537)


@pytest.mark.parametrize(
    "changes",
    [
        *({name: MADE[name] + change} for name in MADE for change in (-2, 2, 1 << 400)),
        {"p": MADE["n"], "q": 1, "dmp1": MADE["d"] % (MADE["n"] - 1)},
        {"p": 1, "q": MADE["n"]},
        of_factors(FIVE, WHOLE.q),  # which is no prime
        {"d": MADE["d"] + 2, "dmp1": MADE["dmp1"] + 2, "dmq1": MADE["dmq1"] + 2},
    ],
)
def test_a_key_whose_numbers_do_not_belong_together_is_refused(changes: dict[str, int]) -> None:
    with pytest.raises(KeyProblem) as caught:
        load_private_key(with_numbers(changes))
    assert caught.value.why == "damaged"
    assert "its numbers do not match" in str(caught.value)


def test_headers_without_a_footer_are_looked_at_once_each() -> None:
    assert _BLOCK.findall("-----BEGIN A-----" * 200_000) == []  # an hour, if each looked for its footer to the end


def test_a_block_ends_where_the_next_one_begins() -> None:
    whole = "-----BEGIN B-----Proc-Type: 4\nMII-----END B-----"
    assert _BLOCK.findall(f"-----BEGIN A-----M{whole}-----END A-----{whole}") == [("B", "Proc-Type: 4\nMII")] * 2
