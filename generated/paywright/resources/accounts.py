"""Accounts: what a client calls as `client.accounts`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import ACCOUNTS_LIST_AUTHORIZED
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from paywright.models.accounts import AuthorizedAccountList, ProductType
    from paywright_runtime.client.operation_refs import Call


class Accounts:
    """Accounts: list_authorized [4.16]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def list_authorized(
        self,
        *,
        product_type_list: Sequence[ProductType | Literal["payin", "payout", "collect"]],
        extra: Mapping[str, object] | None = None,
    ) -> AuthorizedAccountList:
        """List the funds accounts that are authorised for product categories.

        Args:
            product_type_list: one of payin, payout, collect.
            extra: members newer than the contract, by wire name.

        Returns:
            AuthorizedAccountList: The funds accounts that were asked for.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.16 of the specification.
        """
        return self._call(
            ACCOUNTS_LIST_AUTHORIZED,
            {
                "productTypeList": product_type_list,
            },
            extra,
        )
