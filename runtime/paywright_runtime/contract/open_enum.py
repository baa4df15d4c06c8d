"""The base of generated value lists: which values are known, final, settled or paid. Values missing from the contract are accepted."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class OpenEnum(StrEnum):
    """A value list of the contract: members are text, equal to the text on the wire (`OrderStatus.PENDING == "PENDING"`).

    A value that the contract does not list becomes a member too: equal by value, picklable, made anew each time. Its
    `is_known` is False, and it is never final, settled or paid. Code that meets it must wait and query.
    """

    # Of the class. Enums ignore names without a value, but would take a ClassVar for a member.
    _final_values: frozenset[str]
    _settled_values: frozenset[str]
    _paid_values: frozenset[str]

    def __init_subclass__(
        cls, *, final: tuple[str, ...] = (), settled: tuple[str, ...] = (), paid: tuple[str, ...] = ()
    ) -> None:
        super().__init_subclass__()
        cls._final_values = frozenset(final)
        cls._settled_values = frozenset((*final, *settled))
        cls._paid_values = frozenset(paid)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if type(value) is not str:
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = "UNKNOWN"
        unknown._value_ = value
        return unknown

    def __reduce_ex__(self, protocol: object) -> tuple[type[Self], tuple[str]]:
        # By value: Python 3.11 before 3.11.4 pickles by name, which an unknown value does not have.
        return type(self), (self.value,)

    @property
    def is_known(self) -> bool:
        """True if the contract lists the value."""
        return self.value in type(self)._value2member_map_

    @property
    def is_final(self) -> bool:
        """True if no state follows, by the specification or by our reading of it (the question `final-states`)."""
        return str(self) in self._final_values

    @property
    def is_settled(self) -> bool:
        """True if no further query is needed: the state is final, or only a return of the money may follow.

        `OrderStatus.SUCCESS` is paid and settled, not final: it may become BOUNCEBACK [2.3].
        """
        return str(self) in self._settled_values

    @property
    def is_paid(self) -> bool:
        """True if the specification says that the money moved."""
        return str(self) in self._paid_values
