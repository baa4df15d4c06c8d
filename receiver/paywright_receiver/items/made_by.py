"""The write that makes a followed item, and its content, which tells it from another call under the same key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paywright_runtime.contract.request_content import content_given
from paywright_runtime.errors import InvalidArgument

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Following

__all__ = ["content_asked", "made_by"]


def made_by(contract: Contract, following: Following, operation: str | None) -> str | None:
    """Return the write that makes the item, for None the usual one. Raises `InvalidArgument` if it makes something else."""
    if operation is None or operation == following.write:
        return following.write
    resolution = contract.operation(operation).resolution
    usual = None if following.write is None else contract.operation(following.write).resolution
    if usual is None or resolution is None or (resolution.operation, resolution.done) != (usual.operation, usual.done):
        raise InvalidArgument(f"{operation} makes nothing that is followed as {following.kind}. Nothing was sent.")
    return operation


def content_asked(
    contract: Contract, kind: str, operation: str | None, content: Mapping[str, object]
) -> dict[str, str]:
    """Return the content of the write, as text by path in its request. Raises `InvalidArgument` for members that answers do not show."""
    if operation is not None:
        return content_given(contract.operation(operation), content)
    if content:
        raise InvalidArgument(f"No operation of the contract makes {kind}: there is no content to compare.")
    return {}
