"""Funds accounts that are authorised for product categories [4.16, 2.11]."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.resource import Resource

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant


def account_no(merchant: RegisteredMerchant, product_type: str) -> str:
    """Return the number of a merchant's funds account for a product type: it has one of each."""
    return f"FA{int(sha256(f'{merchant.app_id}:{product_type}'.encode()).hexdigest()[:12], 16):016d}"


def _list(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    asked, types = data["productTypeList"], CONTRACT.set("ProductType").values
    assert isinstance(asked, list)
    return {
        "merchantAuthorizedAccountInfoList": [
            {
                "merchantNo": merchant.numbers.get("merchant_no", ""),
                "memberId": merchant.numbers.get("member_id", ""),
                "productType": name,
                "authorizedFundsAccountNo": account_no(merchant, name),
                "authorizedFundsAccountAlias": f"Main {types[name]} account",
            }
            for name in dict.fromkeys(asked)
            if name in types
        ]
    }


RESOURCE: Final = Resource(
    name="accounts",
    handlers={"accounts.list_authorized": _list},
)
