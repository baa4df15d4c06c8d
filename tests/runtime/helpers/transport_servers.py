"""Loopback peers for the transport's tests: servers that follow a script, a certificate authority, a proxy."""

import contextlib
import datetime
import ipaddress
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from paywright_runtime.transport.api import RawAnswer, SignedRequest, TransportFailure
from tests.runtime.helpers.transport_kinds import Carrier, open_transport

Script = Callable[[socket.socket], None]

BODY = b'{"outTradeNo":"ORD_1"}'
HEADERS = (("Content-Type", "application/json"), ("sign", "c2lnbmF0dXJl"), ("User-Agent", "paywright/test"))


def request(body: bytes = BODY, path: str = "/pay") -> SignedRequest:
    return SignedRequest(path, HEADERS, body)


def soon(seconds: float = 600.0) -> float:
    return time.monotonic() + seconds


def call(transport: Carrier, body: bytes = BODY, within: float = 600.0) -> RawAnswer:
    return transport.send(request(body), soon(within))


def failure_of(transport: Carrier, body: bytes = BODY, within: float = 600.0) -> TransportFailure:
    """The failure of a call that must fail."""
    try:
        answer = call(transport, body, within)
    except TransportFailure as failure:
        return failure
    raise AssertionError(f"answered {answer!r}")


def http(body: bytes = b"{}", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def read_request(peer: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of the next request; a head of b"" is the end of the connection."""
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        received = peer.recv(65536)
        if not received:
            return b"", b""
        data += received
    head, body = data[:end], data[end + 4 :]
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    length = int(lengths[0]) if lengths else 0
    while len(body) < length:
        received = peer.recv(65536)
        if not received:
            return b"", b""
        body += received
    return head, body


def echo(peer: socket.socket) -> None:
    """Answers every request with its own body, until the client hangs up."""
    while True:
        head, body = read_request(peer)
        if not head:
            return
        peer.sendall(http(body))


def saying(*answers: bytes, then_hold: bool = False) -> Script:
    """A script that sends each request the next of these bytes, and then closes (or holds the connection open)."""

    def script(peer: socket.socket) -> None:
        for answer in answers:
            if not read_request(peer)[0]:
                return
            peer.sendall(answer)
        if then_hold:
            until_closed(peer)

    return script


def repeating(first: bytes, then: bytes, every: float = 0.0) -> Script:
    """A script that answers with some bytes, and then with the same ones without end."""

    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(first)
        while True:
            peer.sendall(then)
            time.sleep(every)

    return script


def pushing(pushed: threading.Event) -> Script:
    """A script that answers once, and sends another answer unasked when it is told to."""

    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(http(b'"asked"'))
        pushed.wait(600)
        peer.sendall(http(b'"unasked"'))
        until_closed(peer)

    return script


def until_closed(peer: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while peer.recv(65536):
            pass


class Server:
    """Runs a script for each connection on a thread of its own; ends with the `with` block."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None, address: str = "127.0.0.1") -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._script = script
        self._tls = tls
        self._listener = socket.create_server((address, 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self.accepted = 0
        self.ended = 0
        self._peers: list[socket.socket] = []
        self._change = threading.Condition()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def wait_until_ended(self, count: int, within: float = 600.0) -> bool:
        """Did so many connections end on the server's side?"""
        with self._change:
            return self._change.wait_for(lambda: self.ended >= count, within)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # A blocked accept() is not woken by closing its socket, but by shutting it down.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for peer in self._peers:
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._peers.append(peer)
            self.accepted += 1
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        try:
            with peer, contextlib.suppress(OSError):
                if self._tls is None:
                    self._script(peer)
                else:
                    with self._tls.wrap_socket(peer, server_side=True) as secure:
                        self._script(secure)
        finally:
            with self._change:
                self.ended += 1
                self._change.notify_all()


@contextlib.contextmanager
def transport_to(script: Script, *, max_answer_bytes: int = 2 * 1024 * 1024) -> Iterator[Carrier]:
    """A transport to a server with this script, both ended with the block."""
    with Server(script) as server, open_transport(server.url, max_answer_bytes=max_answer_bytes) as transport:
        yield transport


class Authority:
    """A certificate authority of its own, with server certificates for whatever names a test asks for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self._name = name
        certificate = (
            self._builder(name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server_context(self, *names: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives = [_general_name(name) for name in names or ("127.0.0.1", "localhost")]
        certificate = (
            self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")]), key.public_key())
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        file = self._folder / f"server-{certificate.serial_number}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=signs_certificates, crl_sign=signs_certificates, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip


class Tunnel:
    """A proxy's script: answers CONNECT (with `refusal`, if there is one) and carries bytes. Notes each head it was sent."""

    def __init__(
        self, refusal: bytes = b"", *, opening: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
    ) -> None:
        self.heads: list[bytes] = []
        self._refusal = refusal
        self._opening = opening

    def __call__(self, client: socket.socket) -> None:
        head, _ = read_request(client)
        self.heads.append(head)
        if self._refusal:
            client.sendall(self._refusal)
            return
        host, _, port = head.split(b" ")[1].decode("ascii").rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port))) as target:
            client.sendall(self._opening)
            _relay(client, target)


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Both ways on one thread, for a TLS socket must not be read and written at once. Ends when either side does."""
    opposite = {one: other, other: one}
    while True:
        waiting = [side for side in opposite if isinstance(side, ssl.SSLSocket) and side.pending()]
        for side in waiting or select.select(list(opposite), [], [])[0]:
            data = side.recv(65536)
            if not data:
                return
            opposite[side].sendall(data)
