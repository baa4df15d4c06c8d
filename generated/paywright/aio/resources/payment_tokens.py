"""PaymentTokens: what an awaited client calls as `client.payment_tokens`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paywright.models.payment_tokens import BizPaymentTokenList, PaymentTokenList
    from paywright_runtime.client.calls import AsyncCall

_LIST: OperationRef[PaymentTokenList] = OperationRef("payment_tokens.list")
_INQUIRE: OperationRef[BizPaymentTokenList] = OperationRef("payment_tokens.inquire")


class PaymentTokens:
    """PaymentTokens: list, inquire [4.6, 4.7]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def list(
        self,
        *,
        user_id: str,
        token_scope: str | None = None,
        payment_token_id: str | None = None,
        payment_method_type: str | None = None,
        target_org: str | None = None,
        card_org: str | None = None,
        referral_code: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> PaymentTokenList:
        """List the saved payment methods of a user.

        `paywright.Client.payment_tokens.list` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _LIST,
            {
                "userId": user_id,
                "tokenScope": token_scope,
                "paymentTokenID": payment_token_id,
                "paymentMethodType": payment_method_type,
                "targetOrg": target_org,
                "cardOrg": card_org,
                "referralCode": referral_code,
            },
            extra,
        )

    @strip_frames_async
    async def inquire(
        self,
        *,
        user_id: str,
        payment_token_id: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> BizPaymentTokenList:
        """List the saved payment methods of a user, in the bizType form.

        `paywright.Client.payment_tokens.inquire` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _INQUIRE,
            {
                "userId": user_id,
                "paymentTokenID": payment_token_id,
            },
            extra,
        )
