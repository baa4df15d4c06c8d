"""The two clients that one set of templates makes: what differs between a call that blocks and one that is awaited."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen.views import ResourceView

__all__ = ["KINDS", "ClientKind"]


@dataclass(frozen=True, slots=True)
class ClientKind:
    """A client: where it goes, what its methods begin with, and the names of the runtime that it stands on."""

    folder: str
    title: str
    who: str
    guard: str
    define: str
    wait: str
    base: str
    call: str
    resolve: str
    resolver: str
    about: tuple[str, ...]

    @property
    def client_doc(self) -> list[str]:
        """The docstring of the client."""
        return list(self.about)

    def slots(self, resource: ResourceView) -> str:
        """The slots of a resource's class, as source."""
        return '("_call", "_resolve")' if resource.resolvers else '("_call",)'

    def engines(self, resource: ResourceView) -> str:
        """The parameters of its constructor: what its methods call."""
        return f"call: {self.call}" + (f", resolve: {self.resolve}" if resource.resolvers else "")

    def given(self, resource: ResourceView) -> str:
        """What the client passes for them."""
        return "self._call, self._resolve" if resource.resolvers else "self._call"


KINDS = (
    ClientKind(
        folder="",
        title="The client",
        who="a client",
        guard="unburdened",
        define="def",
        wait="",
        base="BaseClient",
        call="Call",
        resolve="Resolve",
        resolver="Resolver",
        about=(
            "A client of the payment gateway; each resource is an attribute.",
            "",
            "Threads may share it. Use it as a context manager, or `close()` it. See `paywright_runtime.client.ClientBase` for its",
            "arguments.",
        ),
    ),
    ClientKind(
        folder="aio.",
        title="The awaited client",
        who="an awaited client",
        guard="unburdened_async",
        define="async def",
        wait="await ",
        base="AsyncBaseClient",
        call="AsyncCall",
        resolve="AsyncResolve",
        resolver="AsyncResolver",
        about=(
            "A client of the payment gateway whose calls are awaited; each resource is an attribute.",
            "",
            "Tasks of one event loop may share it. Use it with `async with`, or `await aclose()`. It takes the arguments of",
            "`paywright.Client`; see `paywright_runtime.client.ClientBase`.",
        ),
    ),
)
