"""Signers whose signatures are awaited, such as those of a key service."""

from typing import Protocol

from anyio import from_thread

__all__ = ["AsyncSigner", "AwaitedSigner"]


class AsyncSigner(Protocol):
    """A `Signer` whose `sign` is awaited."""

    async def sign(self, body: bytes, /) -> str:
        """Return the signature of a body, as canonical padded Base64."""
        ...


class AwaitedSigner:
    """The `Signer` to give to a `Merchant` whose signatures are awaited [5].

        merchant = Merchant(app_id="app_1", private_key=AwaitedSigner(vault), gateway_keys=[...])

    `signer.sign` runs in the event loop of the call, is cancelled with it, and returns canonical padded Base64. An error that it
    raises ends the call as `NotSent`. For `paywright.aio.Client` alone.
    """

    __slots__ = ("_signer",)

    awaited = True
    """Mark for the client: call `sign` in a worker thread, where it waits for the event loop."""

    def __init__(self, signer: AsyncSigner) -> None:
        self._signer = signer

    def sign(self, body: bytes, /) -> str:
        """Return the signature; called in a worker thread of the event loop."""
        return from_thread.run(self._signer.sign, body)

    def __repr__(self) -> str:
        return f"AwaitedSigner({type(self._signer).__name__})"
