"""The resources of the contract that the sandbox implements. To add one, list its value here."""

from __future__ import annotations

from typing import Final

from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.resources import (
    accounts,
    balances,
    bills,
    cases,
    exchanges,
    links,
    rates,
    refunds,
    snap,
    transfers,
    withdrawals,
)
from paywright_sandbox.resources.orders import routes as orders
from paywright_sandbox.resources.payments import tokens
from paywright_sandbox.resources.subscriptions import periods as subscriptions

RESOURCES: Final[tuple[Resource, ...]] = (
    orders.RESOURCE,
    refunds.RESOURCE,
    subscriptions.RESOURCE,
    links.RESOURCE,
    tokens.RESOURCE,
    rates.RESOURCE,
    exchanges.RESOURCE,
    withdrawals.RESOURCE,
    transfers.RESOURCE,
    bills.RESOURCE,
    cases.RESOURCE,
    balances.RESOURCE,
    accounts.RESOURCE,
    snap.RESOURCE,
)
"""All resources, in the order of the console, the list of policies and the control API."""
