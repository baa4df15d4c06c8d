"""The table of names that generated code needs is what the runtime and a generated package really have."""

from __future__ import annotations

import ast
import builtins
import inspect
from functools import cached_property
from inspect import signature
from keyword import kwlist

import pytest

import paywright
import paywright.aio
import paywright.contract
from paywright import Merchant
from paywright.validators import _formats
from paywright_codegen import naming
from paywright_receiver.webhooks.options import ReceiverArguments
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_runtime.client.aio import AsyncClient
from paywright_runtime.client.client import SyncClient
from paywright_runtime.contract.message import Model
from tests.runtime.helpers.canned_gateway import Gateway
from tests.support.contract import PACKAGE


def _imported(*folders: str) -> set[str]:
    """The names that modules in these folders of the package import from the runtime and the standard library."""
    names: set[str] = set()
    for folder in folders:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("paywright."):
                    names |= {alias.asname or alias.name for alias in node.names}
    return names - {"annotations", "import_module"}


def _public(kind: type) -> set[str]:
    """The attributes of a class that are no dunders and start with no underscore."""
    return {name for name in dir(kind) if not name.startswith("_")}


def test_a_client_has_no_attribute_that_a_resource_could_take() -> None:
    resources = {name for name, value in vars(paywright.Client).items() if isinstance(value, cached_property)}
    for client in (SyncClient, AsyncClient):
        assert _public(client) <= naming.CLIENT, client
    for client in (paywright.Client, paywright.aio.Client):
        assert _public(client) - resources <= naming.CLIENT, client
    assert not resources & naming.CLIENT


def test_a_receiver_handles_nothing_else_that_a_notification_could_be_called() -> None:
    handled = {name.removeprefix("on_") for name in dir(BaseReceiver) if name.startswith("on_")}
    assert handled == naming.HANDLERS


def test_a_model_has_no_member_that_a_field_could_take() -> None:
    assert _public(Model) <= naming.FIELDS


def test_no_argument_takes_a_number_that_is_none() -> None:
    numbers = {*Merchant.NUMBERS, *Merchant.SETTINGS}
    arguments = {*signature(Merchant.__init__).parameters, *signature(paywright.Receiver.__init__).parameters}
    own = {name for name in _public(Merchant) | _public(BaseReceiver) if name.islower()}
    assert (arguments | own | {*ReceiverArguments.__annotations__}) - numbers <= naming.NUMBERS
    assert set(kwlist) <= naming.NUMBERS


def test_the_package_contract_has_no_function_that_a_module_could_take() -> None:
    functions = {
        name for name, value in vars(paywright.contract).items() if inspect.isroutine(value) or callable(value)
    }
    assert {name for name in functions if name.islower() and not name.startswith("_")} <= naming.FILES


@pytest.mark.parametrize("folder", ["models", "resources", "aio/resources", "."])
def test_what_modules_import_is_no_name_for_a_class_or_an_annotation(folder: str) -> None:
    classes = {name for name in _imported(folder) if name[0].isupper() and "_" not in name}
    assert classes <= naming.CLASSES | set(paywright.__all__)
    # A name with an underscore in front is none that a contract can write.
    lower = {name for name in _imported(folder) if name.islower() and name[0] != "_"} if folder != "." else set()
    assert lower <= naming.ANNOTATIONS | naming.METHODS | naming.FIELDS | {"dataclass"}


@pytest.mark.slow
def test_what_validators_use_is_no_name_for_a_validator_or_a_format() -> None:
    used = _imported("validators")
    for path in sorted((PACKAGE / "validators").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = {node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for function in functions:
            used |= {argument.arg for argument in function.args.args}
            used |= {
                node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    lower = {name for name in used if name.islower()}
    assert lower - naming.FUNCTIONS - {"envelope", "data"} == set()
    assert {name for name in used if name.isupper()} - naming.CONSTANTS <= set(vars(_formats))


def test_what_python_keeps_for_itself_is_taken_everywhere() -> None:
    assert set(dir(builtins)) <= naming.CLASSES & naming.FUNCTIONS
    assert set(kwlist) <= naming.FUNCTIONS


def test_the_headers_that_a_client_writes_by_itself_are_taken(gateway: Gateway, merchant: Merchant) -> None:
    with paywright.Client(base_url=gateway.base_url, merchant=merchant, retries=0) as client:
        with pytest.raises(paywright.PaywrightError):
            client.refunds.query(out_refund_no="R1")
        operation = client._contract().operation("refunds.query")
        told = {field.wire.lower() for field in client._contract().struct(operation.request_headers or "").fields}
    assert {*gateway.seen[0].headers} - told == naming.HEADERS
