"""The two clients that one template makes: the differences between blocking and awaited calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClientKind:
    """One kind of client: its folder, its words, and the class of the runtime that it derives from."""

    folder: str
    title: str
    who: str
    template: str
    base: str
    about: tuple[str, ...]

    def client_doc(self, arguments: Sequence[str]) -> list[str]:
        """Return the docstring of the client, with the arguments of its constructor as the runtime documents them."""
        return [*self.about, "", *arguments] if arguments else list(self.about)


KINDS = (
    ClientKind(
        folder="",
        title="The client",
        who="a client",
        template="resource",
        base="SyncClient",
        about=(
            "A client of the payment gateway; each resource is an attribute.",
            "",
            "Threads may share it. Use it as a context manager, or `close()` it.",
        ),
    ),
    ClientKind(
        folder="aio.",
        title="The awaited client",
        who="an awaited client",
        template="aio_resource",
        base="AsyncClient",
        about=(
            "A client of the payment gateway whose calls are awaited; each resource is an attribute.",
            "",
            "Tasks of one event loop may share it. Use it with `async with`, or `await aclose()`.",
        ),
    ),
)
