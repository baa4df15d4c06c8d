"""What every generated message has: its members as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dataclasses import Field

__all__ = ["Model"]


class Model:
    """Base of the generated messages, which are dataclasses."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    def to_dict(self) -> dict[str, object]:
        """Return the members by their Python names, for storing or comparing.

        Messages inside are dicts too, sequences are lists, members of value lists their text; amounts stay `Decimal`, times
        `datetime`. What is absent is None. `answer` is left out. It holds what `repr` hides: a person's data, credentials.
        """
        return {name: _plain(getattr(self, name)) for name, field in self.__dataclass_fields__.items() if field.init}


def _plain(value: object) -> object:
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
