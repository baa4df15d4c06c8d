"""The two clients that one set of templates makes: the differences between blocking and awaited calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paywright_codegen.render.python.doc_text import wrapped
from paywright_codegen.render.views.follow import FollowView
from paywright_codegen.render.views.methods import MethodView, ResolverView
from paywright_codegen.render.views.resource import ResourceView

__all__ = ["KINDS", "ClientKind"]


_CALL = """\
Call an operation by its name, as the method of its resource does.

`values` are the arguments by wire name, each in the type that the method takes; the result and the errors are the method's. \
Raises `InvalidArgument` for a name that the contract does not have, or that the gateway calls, and for an argument that the \
operation does not take. For a name known only at run time, use `call_by_name`."""

_RESOLVE = """\
Settle the unknown outcome of a write by its name, as `resolve` of its resource does [4.3]. Nothing is sent yet.

`error` is the error of the write; it has its key and content. Without one, `key` is the key, and `content` the members of the \
write that the query shows, by wire path (`{"totalAmount": Decimal("10.50")}`); if the query shows another value, the key \
belongs to another call. `asks` are further required members of the query's request, by wire name. Raises \
`InvalidArgument` for an operation that is not a write, content that is not shown, or the error of another call. For a name \
known only at run time, use `resolve_by_name`."""


@dataclass(frozen=True, slots=True)
class ClientKind:
    """One kind of client: its folder, the first words of its methods, and the runtime classes it uses."""

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
    documented_in: str | None  # the package whose methods have the full docstrings

    def client_doc(self, arguments: Sequence[str]) -> list[str]:
        """Return the docstring of the client, with the arguments of its constructor as the runtime documents them."""
        return [*self.about, "", *arguments] if arguments else list(self.about)

    def method_doc(
        self, method: MethodView | ResolverView | FollowView, resource: ResourceView, package: str
    ) -> list[str]:
        """Return the docstring of a method: in full, or its summary and a reference to the other client's."""
        if self.documented_in is None:
            return method.doc
        where = f"`{package}.{self.documented_in}.{resource.name}.{method.verb}`"
        return [
            *wrapped(method.summary, 8),
            "",
            *wrapped(f"{where} documents the arguments, the rules and the errors.", 8),
        ]

    def call_doc(self, package: str) -> list[str]:
        """Return the docstring of `call`."""
        return self._by_name_doc(_CALL, "call", package)

    def resolve_doc(self, package: str) -> list[str]:
        """Return the docstring of `resolve`."""
        return self._by_name_doc(_RESOLVE, "resolve", package)

    def _by_name_doc(self, text: str, method: str, package: str) -> list[str]:
        summary, *more = text.split("\n\n")
        if self.documented_in is not None:
            more = [f"`{package}.{self.documented_in}.{method}` documents the arguments and the errors."]
        return [*wrapped(summary, 8), *(line for part in more for line in ["", *wrapped(part, 8)])]

    def slots(self, resource: ResourceView) -> tuple[str, ...]:
        """Return the slots of a resource's class."""
        return tuple(f"_{name}" for name, _ in self.engines(resource))

    def engines(self, resource: ResourceView) -> list[tuple[str, str]]:
        """Return the methods of the client that those of a resource call: name and type."""
        found = [("call", self.call)]
        return found + ([("resolve", self.resolve)] if resource.resolvers else [])


KINDS = (
    ClientKind(
        folder="",
        title="The client",
        who="a client",
        guard="strip_frames",
        define="def",
        wait="",
        base="SyncClient",
        call="Call",
        resolve="Resolve",
        resolver="Resolver",
        about=(
            "A client of the payment gateway; each resource is an attribute.",
            "",
            "Threads may share it. Use it as a context manager, or `close()` it.",
        ),
        documented_in=None,
    ),
    ClientKind(
        folder="aio.",
        title="The awaited client",
        who="an awaited client",
        guard="strip_frames_async",
        define="async def",
        wait="await ",
        base="AsyncClient",
        call="AsyncCall",
        resolve="AsyncResolve",
        resolver="AsyncResolver",
        about=(
            "A client of the payment gateway whose calls are awaited; each resource is an attribute.",
            "",
            "Tasks of one event loop may share it. Use it with `async with`, or `await aclose()`.",
        ),
        documented_in="Client",
    ),
)
