"""Make one call for a process that ends with it. The exit code is decided here, before anything is printed.

Signals are handled too. During the call, a signal that ends programs ends it. A write that may have left then has an unknown
outcome, and the exit code says so. Once the outcome is known, signals are ignored until the process ends.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from contextlib import suppress
from select import select
from types import FrameType
from typing import Final, NamedTuple, TextIO

from paywright import Client
from paywright_cli.common.exit_codes import CallExit, call_exit, signal_exit
from paywright_cli.common.terminal import discard, write_all
from paywright_runtime import errors
from paywright_runtime.answer import Answer
from paywright_runtime.contract.operation import Operation
from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport, TransportFailure

# Those that end a program unless they are handled, but for faults of the program itself. Windows has two of them.
_NAMES: Final = "INT TERM HUP QUIT ALRM VTALRM PROF USR1 USR2 XCPU XFSZ ABRT IO POLL PWR STKFLT EMT"
_SIGNALS: Final = (
    *(getattr(signal, f"SIG{name}") for name in _NAMES.split() if hasattr(signal, f"SIG{name}")),
    *(range(signal.SIGRTMIN, signal.SIGRTMAX + 1) if hasattr(signal, "SIGRTMIN") else ()),
)


_AT_ONCE: Final = 128  # characters: no more bytes than a pipe that can be written to takes without waiting (PIPE_BUF)


class CallOutcome(NamedTuple):
    """Outcome of a call: the exit code, and the verified response, or the error and a reason."""

    code: int
    answer: Answer | None = None
    error: Exception | None = None
    why: str = ""


class Interrupted(BaseException):
    """Raised by a signal while the call can still be ended."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Interrupts:
    """Turns signals that end programs into `Interrupted`, once, and only while `armed`.

    At other times they are ignored: a second Ctrl-C suppresses no message.

    The handlers stay until `over`. From then on the system itself ignores these signals: a signal between the outcome and the
    exit must not change the exit code, and Python removes its handlers while the process ends. Outside the main thread no
    handler can be set, and signals have their usual effect.
    """

    def __init__(self) -> None:
        self.armed = False
        with suppress(ValueError):
            for number in _SIGNALS:
                # Signals that the caller ignores, as `nohup` does, stay ignored.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, self._arrived)

    def write(self, stream: TextIO | None, text: str | bytes) -> bool:
        """Write and flush everything; return whether it was written. A signal ends the wait for a blocked terminal or pipe."""
        for start in range(0, len(text), _AT_ONCE):
            if stream is None or not self._writable(stream) or not write_all(stream, text[start : start + _AT_ONCE]):
                return False
        return True

    def _writable(self, stream: TextIO) -> bool:
        """Wait until something can be written. Return False, with the stream closed to /dev/null, if a signal came first."""
        try:
            if not select((), (stream,), (), 0)[1]:
                self.armed = True
                select((), (stream,), ())
        except Interrupted:
            with suppress(OSError, ValueError):
                discard(stream)
            return False
        except (OSError, ValueError):
            pass  # it is closed, which writing shows; on Windows there is no waiting for a file
        finally:
            self.armed = False
        return True

    def over(self) -> None:
        """Ignore these signals for good: the outcome is printed, and the process ends."""
        self.armed = False
        with suppress(ValueError):
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_IGN)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self.armed:
            self.armed = False
            raise Interrupted(number)


class _Tracked:
    """A transport that records whether a byte of a body may have been sent."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.may_have_left = False

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request. See `transport.api.Transport`."""
        before, self.may_have_left = self.may_have_left, True
        try:
            return self._transport.send(request, deadline)
        except TransportFailure as failure:
            self.may_have_left = before or failure.body_started
            raise

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


class _TrackedClient(Client):
    def _new_transport(self) -> Transport:
        self.tracked = _Tracked(super()._new_transport())
        return self.tracked


def make_call(
    operation: Operation,
    values: Mapping[str, object],
    extra: Mapping[str, object] | None,
    env: Mapping[str, str],
    interrupts: Interrupts,
) -> CallOutcome:
    """Call an operation with settings from `env`, and return how it ended. It disarms `interrupts`.

    Raises `ConfigurationError` or `InvalidArgument`: then nothing was sent.
    """
    client: _TrackedClient | None = None
    answer: Answer | None = None
    try:
        try:
            interrupts.armed = True
            client = _TrackedClient.from_env(env)
            answer = client.call_by_name(operation.name, values, extra).answer
        finally:
            interrupts.armed = False
    except Interrupted as interruption:
        if answer is None:
            return _interrupted(operation, values, interruption, client is not None and client.tracked.may_have_left)
    except Exception as error:
        code = call_exit(error)
        if code is not None:
            return CallOutcome(code, error=error)
        if client is None or not (operation.write and client.tracked.may_have_left):
            raise
        return _unknown(
            operation, values, f"A bug of ours, {type(error).__name__}, happened after the request was sent."
        )
    finally:
        if client is not None:
            with suppress(Exception):
                client.close()
    return CallOutcome(CallExit.OK, answer)


def _interrupted(
    operation: Operation, values: Mapping[str, object], interruption: Interrupted, may_have_left: bool
) -> CallOutcome:
    name = _name(interruption.number)
    if operation.write and may_have_left:
        return _unknown(operation, values, f"{name} arrived while the call was in progress.")
    what = "It only reads" if may_have_left else "Nothing was sent"
    why = f"{name} ended {operation.name}. {what}: this call has moved no money."
    return CallOutcome(signal_exit(interruption.number), why=why)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # the real-time signals between the first and the last have no names
        return f"signal {number}"


def _unknown(operation: Operation, values: Mapping[str, object], why: str) -> CallOutcome:
    key = values.get(operation.key) if operation.key is not None else None
    settled_by = operation.resolution.operation if operation.resolution is not None else None
    error = errors.OutcomeUnknown(
        operation=operation.name,
        reason="cancelled",
        key=key if isinstance(key, str) else "",
        resolve_with=settled_by,
        resolver=operation.resolver(),
    )
    return CallOutcome(CallExit.UNKNOWN, error=error, why=f"OUTCOME UNKNOWN. {why}")
