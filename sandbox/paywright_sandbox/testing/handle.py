"""The handle of a sandbox for tests and programs, served or in process, and its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Required, TypedDict, Unpack, cast
from urllib.parse import quote

from paywright import Client, Merchant
from paywright_runtime import strict_json
from paywright_runtime.client.settings import Validation, client_settings_from, merchant_from
from paywright_runtime.clock import Clock
from paywright_runtime.transport.api import AsyncTransport, Transport
from paywright_sandbox.control.api import control
from paywright_sandbox.control.clock_routes import advance
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchant import ADDRESSES
from paywright_sandbox.engine.routes import PREFIX
from paywright_sandbox.engine.settings import SETTINGS_FILE, SandboxSettings
from paywright_sandbox.gateway import make_policies, read_settings
from paywright_sandbox.init import make_folder, read_env
from paywright_sandbox.testing.notification import SignedNotification, make_notification, signed_notification
from paywright_sandbox.testing.transcript import breaches, transcript

if TYPE_CHECKING:
    from paywright import Receiver
    from paywright.aio import Client as AsyncClient
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import DeliveryObserver
    from paywright_runtime.client.attempt_events import CallObserver


class ClientOptions(TypedDict, total=False):
    """The options of a client that tests set; see `paywright.Client`."""

    timeout: float
    validation: Validation
    strict_answers: bool
    retries: int
    clock: Clock | None
    observer: CallObserver | None


class _ClientSettings(ClientOptions, total=False):
    base_url: Required[str]
    merchant: Required[Merchant]
    paths: Mapping[str, str]


class SandboxHandle:
    """A sandbox with its keys in `directory`; `client` makes clients of its first merchant."""

    def __init__(self, engine: Engine, directory: Path) -> None:
        self.engine = engine
        self.base_url: str = engine.address
        self.directory = directory
        self.merchant_private_key: Path = directory / "keys" / "merchant.key"
        self.merchant_public_key: Path = directory / "keys" / "merchant.pub"
        self.gateway_public_key: Path = directory / "keys" / "gateway.pub"

    @property
    def env(self) -> dict[str, str]:
        """The `PAYWRIGHT_*` variables for `Client.from_env(...)`, with the actual address."""
        return {**read_env(self.directory), "PAYWRIGHT_BASE_URL": self.base_url}

    def client(self, **options: Unpack[ClientOptions]) -> Client:
        """Make a client for the sandbox's first merchant. Close it, or use it in a `with`.

        The options are those of `paywright.Client`; the timeout is 10 seconds by default.
        """
        return Client(**self._settings(options), transport=self._transport())

    def async_client(self, **options: Unpack[ClientOptions]) -> AsyncClient:
        """Make the same client, awaited. It needs the extra `async`."""
        from paywright.aio import Client as AsyncClient  # an extra

        return AsyncClient(**self._settings(options), transport=self._async_transport())

    def _settings(self, options: ClientOptions) -> _ClientSettings:
        merchant, base_url = merchant_from(Merchant, self.env)
        paths = client_settings_from(Merchant, self.env).get("paths", {})
        given: ClientOptions = {"timeout": 10.0, **options, "clock": options.get("clock") or self.engine.wall}
        return {"base_url": base_url, "merchant": merchant, "paths": paths, **given}

    def receiver(self, ledger: Ledger | None = None, observer: DeliveryObserver | None = None) -> Receiver:
        """Make a receiver of the first merchant by the sandbox's clock, and connect the sandbox to it: see `deliver_to`.

        `ledger` is one in memory by default.
        """
        from paywright import Receiver  # most tests need none
        from paywright_receiver import MemoryLedger

        numbers = self.engine.merchants.registered[0].numbers
        receiver = Receiver(
            app_id=numbers["app_id"],
            merchant_no=numbers.get("merchant_no"),
            gateway_keys=[self.gateway_public_key],
            ledger=ledger or MemoryLedger(clock=self.engine.wall),
            clock=self.engine.wall,
            observer=observer,
        )
        self.deliver_to(receiver)
        return receiver

    def deliver_to(self, receiver: BaseReceiver) -> None:
        """Hand notifications and questions to a receiver of this process, whatever address a request names.

        They are sent by `deliver` and `advance`, and at once by a sandbox that is served.
        """

        def receive(headers: Sequence[tuple[str, str]], body: bytes) -> tuple[int, Sequence[tuple[str, str]], bytes]:
            reply = receiver.receive(body, headers)
            return reply.status, reply.headers, reply.body

        self.engine.settings.receive_in_process = receive
        for merchant in self.engine.merchants.registered:
            for setting in ADDRESSES:
                merchant.addresses.setdefault(setting, self.base_url)

    def deliver(self) -> int:
        """Send the notifications that are due now, and return how many attempts that were."""
        self.engine.run_due_timers()
        return worker_of(self.engine).deliver_due()

    def notification(self, kind: str, /, **members: object) -> SignedNotification:
        """Make a signed notification to the first merchant, such as `notification("transfer", status="SETTLED")`.

        `kind` is `transfer`, `period`, `payment`, `refund` or `withdraw`. `members` are named as on the wire or as in Python;
        the outermost member of that name is meant, of the data first. It is sent to nobody: give it to your endpoint.
        Raises `InvalidArgument` for an unknown name, and if the contract allows no such notification.
        """
        return self.signed(make_notification(self.engine, kind, members))

    def signed(self, body: bytes | Mapping[str, object]) -> SignedNotification:
        """Sign a body with the gateway's key as it is, valid or not."""
        return signed_notification(self.engine, body)

    def breaches(self) -> list[str]:
        """Return what the sandbox has seen break the contract: requests of merchants, and their answers to notifications."""
        return breaches(self.engine)

    def transcript(self) -> str:
        """Return the exchanges so far, a line each, without their bodies."""
        return transcript(self.engine)

    def _transport(self) -> Transport | None:
        """Return the transport of a new client; None for HTTP."""
        return None

    def _async_transport(self) -> AsyncTransport | None:
        """Return the transport of a new client that is awaited; None for HTTP."""
        return None

    def control(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> tuple[int, dict[str, object]]:
        """Call the control API; `path` follows `/_sandbox/`. Return the HTTP status and the response."""
        raw = b"" if body is None else strict_json.write(dict(body))
        reply = control(self.engine, method, PREFIX + path, [("x-sandbox", "1")], raw)
        answer = strict_json.parse(reply.body)
        return reply.status, dict(answer) if isinstance(answer, dict) else {}

    def pay(self, out_trade_no: str, *, merchant: str | None = None) -> dict[str, object]:
        """Pay an open order as its payer would, and return it.

        `merchant` is the app id, needed if several have an order of this number. Raises `LookupError` with the sandbox's message.
        """
        body = None if merchant is None else {"merchant": merchant}
        return self.done("POST", f"orders/{quote(out_trade_no, safe='')}/pay", body)

    def fault(self, kind: str, **rule: object) -> dict[str, object]:
        """Add a fault rule, such as `fault("reset", when="before", times=1)`, and return it. Raises `LookupError`."""
        return self.done("POST", "faults", {"kind": kind, **rule})

    def items(self, resource: str) -> list[dict[str, object]]:
        """Return the latest 200 items of a resource, the newest first: `orders`, `transfers`, `subscriptions` and so on.

        Raises `LookupError` with the resources that can be listed.
        """
        ((_, found),) = self.done("GET", resource).items()
        return cast("list[dict[str, object]]", found)

    def advance(self, by: timedelta | float) -> dict[str, object]:
        """Move the business clock forward by a timedelta or by seconds, and return what happened on the way."""
        return advance(self.engine, by if isinstance(by, timedelta) else timedelta(seconds=by))

    def log(self) -> bytes:
        """Return the log as capture records, one a line."""
        return b"".join(self.engine.captures.lines())

    def done(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
        """Call the control API and return the response. Raises `LookupError` with the sandbox's message if it refuses."""
        status, answer = self.control(method, path, body)
        if status != 200:
            raise LookupError(str(answer.get("error")))
        return answer


@contextmanager
def sandbox_folder(
    directory: Path | None, policies: Mapping[str, object] | None, seed: str | None
) -> Iterator[tuple[Path, SandboxSettings]]:
    """Yield a folder with keys, made if there are none, and its settings. None makes a temporary folder for the block.

    `policies` and `seed` replace those of sandbox.toml.
    """
    with TemporaryDirectory(prefix="paywright-sandbox-") if directory is None else nullcontext(directory) as made:
        folder = Path(made)
        if not (folder / SETTINGS_FILE).exists():
            make_folder(folder)
        settings = read_settings(folder)
        if policies is not None:
            settings.policies = make_policies(policies)
        if seed is not None:
            settings.seed = seed
        yield folder, settings
