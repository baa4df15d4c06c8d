"""Money settings of a merchant: first balances, funds accounts, and secrets of bank-style calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, NoReturn

from paywright.contract import CONTRACT

__all__ = ["MONEY_SETTINGS", "Account", "MerchantMoney", "money_faults", "money_of"]

MONEY_SETTINGS: Final = ("snap-client-secret", "snap-access-token", "balances", "accounts")

_ACCOUNT: Final = ("product-type", "account-no", "alias")
_CURRENCY: Final = re.compile("[A-Z]{3}")
_AMOUNT: Final = re.compile("[0-9]{1,30}([.][0-9]{1,4})?")


class Account:
    """A funds account that is authorised for a product type [2.11]."""

    __slots__ = ("alias", "number", "product_type")

    def __init__(self, product_type: str, number: str, alias: str) -> None:
        self.product_type: str = product_type
        self.number: str = number
        self.alias: str = alias

    def __repr__(self) -> str:
        return f"<Account {self.product_type}>"


class MerchantMoney:
    """First balances by currency, funds accounts (None: one of each product type), client secret and access token.

    `repr` hides secret and token. It cannot be pickled.
    """

    __slots__ = ("accounts", "balances", "snap_secret", "snap_token")

    def __init__(
        self,
        *,
        balances: Mapping[str, Decimal] | None = None,
        accounts: Sequence[Account] | None = None,
        snap_secret: str | None = None,
        snap_token: str | None = None,
    ) -> None:
        self.balances: dict[str, Decimal] = dict(balances or {})
        self.accounts: tuple[Account, ...] | None = None if accounts is None else tuple(accounts)
        self.snap_secret: str | None = snap_secret
        self.snap_token: str | None = snap_token

    def __repr__(self) -> str:
        return "MerchantMoney(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("MerchantMoney is not pickled: it holds the client secret.")


def money_of(entry: Mapping[str, object]) -> MerchantMoney:
    """Read the money settings of an entry that `money_faults` has accepted."""
    balances, accounts = entry.get("balances", {}), entry.get("accounts")
    assert isinstance(balances, dict)
    secret, token = entry.get("snap-client-secret"), entry.get("snap-access-token")
    return MerchantMoney(
        balances={currency: Decimal(str(amount)) for currency, amount in balances.items()},
        accounts=(
            [Account(*(str(account[key]) for key in _ACCOUNT)) for account in accounts]
            if isinstance(accounts, list)
            else None
        ),
        snap_secret=str(secret) if secret else None,
        snap_token=str(token) if token else None,
    )


def money_faults(where: str, entry: Mapping[str, object]) -> list[str]:
    """Return the errors of an entry, without values: a secret may be in the wrong place."""
    wrong = [
        f"{where}: {name} must be text without spaces, in ASCII"
        for name in ("snap-client-secret", "snap-access-token")
        if not _is_word(entry.get(name, "-"))
    ]
    if bool(entry.get("snap-client-secret")) != bool(entry.get("snap-access-token")):
        wrong.append(f"{where} needs both snap-client-secret and snap-access-token, or neither")
    balances = entry.get("balances", {})
    if not isinstance(balances, dict):
        return [*wrong, f"{where}: balances must be a table of currencies and amounts"]
    for currency, amount in balances.items():
        if not _CURRENCY.fullmatch(currency) or not isinstance(amount, str) or not _AMOUNT.fullmatch(amount):
            wrong.append(f'{where}: balances must have currencies of three capitals, and amounts such as "1000.00"')
    accounts = entry.get("accounts", [])
    if not isinstance(accounts, list):
        return [*wrong, f"{where}: accounts must be tables of {', '.join(_ACCOUNT)}"]
    return wrong + [f"{where}: {fault}" for account in accounts for fault in _account_faults(account)]


def _account_faults(account: object) -> list[str]:
    if not isinstance(account, dict):
        return [f"an account must be a table of {', '.join(_ACCOUNT)}"]
    kinds = list(CONTRACT.set("ProductType").values)
    wrong = [f"{key[:40]} is not a setting of an account" for key in account if key not in _ACCOUNT]
    wrong += [f"an account needs {key} as text" for key in _ACCOUNT if not isinstance(account.get(key), str)]
    if not wrong and account["product-type"] not in kinds:
        wrong.append(f"product-type of an account must be one of {', '.join(kinds)}")
    return wrong


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable() and " " not in value
