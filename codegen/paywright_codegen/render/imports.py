"""The imports of a generated file: the modules of the names that its body uses."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set

# Each module with the names that generated code may use of it. The contract defines none of them.
_MODULES = {
    "collections.abc": "Callable Iterable Mapping Sequence",
    "dataclasses": "dataclass field",
    "datetime": "date datetime",
    "decimal": "Decimal",
    "functools": "cached_property",
    "pathlib": "Path",
    "paywright_receiver.webhooks.event": "Event",
    "paywright_receiver.webhooks.options": "ReceiverArguments",
    "paywright_receiver.webhooks.receiver": "BaseReceiver",
    "paywright_runtime.answer": "Answer Violation",
    "paywright_runtime.client.aio": "AsyncClient AsyncResource",
    "paywright_runtime.client.calls": "Call Follow OperationRef WriteRef",
    "paywright_runtime.client.client": "SyncClient",
    "paywright_runtime.client.permission": "Permission",
    "paywright_runtime.client.resolver": "Resolve Resolver",
    "paywright_runtime.client.settings": "BaseMerchant",
    "paywright_runtime.contract.index": "Contract",
    "paywright_runtime.contract.message": "Model OpenEnum",
    "paywright_runtime.contract.model": "Following Limit Move Question Set Struct",
    "paywright_runtime.contract.operation": "Operation SeenNotification",
    "paywright_runtime.contract.formats": "FORMS matcher",
    "paywright_runtime.contract.violations": "EMPTY Report in_range is_number longer not_joined same_text within",
    "paywright_runtime.errors": "OutcomeUnknown PaywrightError",
    "paywright_runtime.lazy": "lazily",
    "paywright_runtime.signing.call_signatures": "CallSignature KeySignature SecretSignature",
    "paywright_runtime.signing.rsa": "Signer Verifier",
    "paywright_runtime.tracebacks": "strip_frames",
    "paywright_runtime.version": "VERSION",
    "typing": "ClassVar Literal Never TYPE_CHECKING TypeAlias Unpack cast",
}
HOMES = {"re": "", **{name: module for module, names in _MODULES.items() for name in names.split()}}
# What makes methods awaited, under names that no contract can write: `module:Name` is imported under another name.
_AIO = "paywright_runtime.client.aio"
AWAITED_FORMS = {
    "_awaited": f"{_AIO}:awaited",
    "_awaited_resolver": f"{_AIO}:awaited_resolver",
    "_shared": f"{_AIO}:shared",
    "_Final": "typing:Final",
}


def imports_of(body: str, homes: Mapping[str, str], lazy: Set[str], own: Set[str]) -> str:
    """Return the import lines for the names that a body uses, but for its own. Those in `lazy` are imported for type checkers only."""
    tree = ast.parse(body)
    used = ({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & homes.keys()) - own
    late = [f"    {line}" if line else "" for line in _grouped({name: homes[name] for name in used & lazy})]
    eager = _grouped({name: homes[name] for name in used - lazy | ({"TYPE_CHECKING"} if late else set())})
    return "\n".join([*eager, *(["", "if TYPE_CHECKING:", *late] if late else [])])


def _grouped(names: Mapping[str, str]) -> list[str]:
    modules: dict[str, list[str]] = {}
    for name, home in sorted(names.items()):
        module, _, other = home.partition(":")
        modules.setdefault(module or name, []).append(f"{other} as {name}" if other else name if module else "")

    def rank(module: str) -> tuple[bool, bool, str]:
        ours = "_" in module or ("." in module and module != "collections.abc")
        return ours, modules[module] != [""], module

    lines: list[str] = []
    before = False
    for module in sorted(modules, key=rank):
        if lines and rank(module)[0] != before:
            lines.append("")
        before = rank(module)[0]
        found = modules[module]
        lines.append(f"import {module}" if found == [""] else f"from {module} import {', '.join(sorted(found))}")
    return lines
