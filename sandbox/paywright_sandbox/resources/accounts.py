"""Funds accounts that are authorised for product categories [4.16, 2.11]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.merchant import Account
from paywright_sandbox.engine.resource import Resource

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant

__all__ = ["RESOURCE", "accounts_of"]


def accounts_of(merchant: RegisteredMerchant) -> Sequence[Account]:
    """Return the merchant's accounts: those of sandbox.toml, or one for each product type."""
    if merchant.money.accounts is not None:
        return merchant.money.accounts
    return tuple(
        Account(name, _number(merchant, name), f"Main {meaning} account")
        for name, meaning in CONTRACT.set("ProductType").values.items()
    )


def _number(merchant: RegisteredMerchant, name: str) -> str:
    return f"FA{int(sha256(f'{merchant.app_id}:{name}'.encode()).hexdigest()[:12], 16):016d}"


def _list(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    asked = data["productTypeList"]
    assert isinstance(asked, list)
    return {
        "merchantAuthorizedAccountInfoList": [
            {
                "merchantNo": merchant.numbers.get("merchant_no", ""),
                "memberId": merchant.numbers.get("member_id", ""),
                "productType": account.product_type,
                "authorizedFundsAccountNo": account.number,
                "authorizedFundsAccountAlias": account.alias,
            }
            for name in dict.fromkeys(asked)
            for account in accounts_of(merchant)
            if account.product_type == name
        ]
    }


RESOURCE: Final = Resource(
    name="accounts",
    handlers={"accounts.list_authorized": _list},
)
