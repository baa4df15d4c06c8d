"""CONTRIBUTING's worked example, taken at its word: add the operation, generate, call it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import python
from tests.support.packages import FOLDERS, TOP
from tests.support.tiny import share_formatted

_YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CALL = """
from paywright import Client, ContractViolation, RefundCancelled, RsaSigner, Merchant
from paywright.contract import CONTRACT
from paywright_runtime.transport.api import RawAnswer
from paywright_runtime.signing.keys import generate_key_pair

gateway, merchant = generate_key_pair(), generate_key_pair()

class Gateway:
    def send(self, request, deadline):
        assert request.path == "/aggregate-pay/api/gateway/refundCancel"
        assert b'"reason":"changed my mind"' in request.body
        body = b'{"code":"APPLY_SUCCESS","msg":"","data":{"outRefundNo":"REF_1","status":"REFUND_FAILED"}}'
        return RawAnswer(200, [("sign", RsaSigner(gateway.private).sign(body))], body)
    def close(self): pass

client = Client(
    base_url="https://gateway.example",
    merchant=Merchant(app_id="a", private_key=merchant.private_pem, gateway_keys=[gateway.public_pem]),
    transport=Gateway(),
)
answer = client.refunds.cancel(out_refund_no="REF_1", reason="changed my mind")
assert type(answer) is RefundCancelled and answer.status == "REFUND_FAILED"
assert CONTRACT.operation("refunds.cancel").write
assert client.refunds.resolve(out_refund_no="REF_1").operation == "refunds.create"
assert client.refunds.resolve_cancel(out_refund_no="REF_1").step().state == "no_query"
try:
    client.refunds.cancel(out_refund_no="R" * 65)
except ContractViolation as error:
    assert [one.pointer for one in error.violations] == ["/data/outRefundNo"]
    print("as worked through")
"""

# A file of the contract that nobody has: a write with its query and notification, rules of both messages, a list of states.
_REVERSALS = """\
operations:

  # Give back what a payer was charged by mistake.
  reversals.create [4.21]:
    post: /aggregate-pay/api/gateway/reversal
    version: 1.0
    envelope: gateway
    key: outReversalNo ?key-case
    gateway id: reversalNo
    amount: reversalAmount in reversalCurrency
    gives back:
      orders.query:
        key: outTradeNo
        gateway id: tradeToken
        within: refund-window of transactionUtcTime
    resolved by:
      query: reversals.query by outReversalNo
    echoes: outReversalNo
    shows: reversalAmount, reversalCurrency
    refuses: BALANCE_INSUFFICIENT PARAMS_INVALID ?refusal-codes
    request:
      # the same again whenever this very reversal is repeated, because a new one means that money goes back once more
      outReversalNo!: string min 1 max 64 eg REV_0001
      reversalAmount!: amount max 20 eg 4.25
      reversalCurrency!: currency exactly 3 eg USD
      outTradeNo: string max 64
      tradeToken: string max 64
    rules:
      which-order [4.21]: need outTradeNo or tradeToken
    before sending:
      amount-above-zero [4.21]: reversalAmount above 0 ?amounts-sent
    response: Reversal

  # Ask what became of a reversal.
  reversals.query [4.22]:
    post: /aggregate-pay/api/gateway/reversalQuery
    version: 1.0
    envelope: gateway
    echoes: outReversalNo
    amount: reversalAmount in reversalCurrency
    absent: ORDER_NOT_EXIST ?exchange-absent
    request:
      outReversalNo!: string max 64 eg REV_0001
    response: Reversal

notifications:

  # The result of a reversal.
  notifications.reversal [6.3]:
    post: /reversalResultNotifyUrl
    envelope: callback
    when: notifyType is REVERSAL
    succeeds: code is APPLY_SUCCESS
    about: reversals.query by outReversalNo
    once per: outReversalNo status
    amount: reversalAmount in reversalCurrency
    notification: ReversalNotification
    answer: Acknowledgement

types:

  Reversal [4.21]:                                             # A reversal.
    outReversalNo!: string max 64
    reversalNo: string max 64
    reversalAmount!: amount eg 4.25
    reversalCurrency!: currency eg USD
    status!: ReversalStatus max 32
    failReason: string max 256

  ReversalNotification [6.3]:                                  # The notification of a reversal.
    code!: string max 32 eg APPLY_SUCCESS
    msg!: string eg Success.
    keyVersion!: string max 8 sends 1
    appId!: string max 32 eg app_55d1c0ffee from merchant.app_id
    merchantNo: string max 15 eg M100200300 from merchant.merchant_no
    notifyTime!: time max 32 from clock
    notifyType!: string max 16 is REVERSAL
    data!: Reversal

rules:

  Reversal:
    reason-of-failure [4.21]: when status in PENDING SUCCESS, failReason is empty

states:

  ReversalStatus [4.21]:                                       # State of a reversal.
    PENDING: not finished yet
    SUCCESS final paid: given back
    FAILED final: failed
"""
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".cache", ".*_cache", "__pycache__", ".hypothesis", "dist", "build")


def run(*command: str | Path, path: str, folder: Path = TOP) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return python(folder, *command, env={**env, "PYTHONPATH": path})


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose contract has the operation of the example."""
    shutil.copytree(TOP / "spec", tmp_path / "spec")
    share_formatted(tmp_path)
    add_the_worked_example(tmp_path / "spec")
    return tmp_path


def add_the_worked_example(spec: Path) -> None:
    operation, type_ = _YAML.findall((TOP / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    add(spec / "refunds.yaml", "\ntypes:\n\n", f"\n{operation}\ntypes:\n\n{type_}\n")


def add(file: Path, place: str, text: str) -> None:
    before = file.read_text(encoding="utf-8")
    assert before.count(place) == 1
    file.write_text(before.replace(place, text), encoding="utf-8")


@pytest.mark.slow
def test_the_worked_example_gives_a_method_that_works(checkout: Path) -> None:
    path = os.pathsep.join(str(top / name) for top, name in ((TOP, "cli"), (TOP, "codegen"), (TOP, "runtime")))
    command = ("-m", "paywright_cli", "contract", "--dir", checkout)
    run(*command, "lint", path=path)
    run(*command, "generate", path=path)
    assert "refunds.cancel" in run(*command, "show", "refunds.cancel", path=path)
    script = checkout / "call.py"
    script.write_text(_CALL)
    assert run(script, path=f"{checkout / 'generated'}{os.pathsep}{path}") == "as worked through\n"


@pytest.mark.slow
def test_an_operation_is_added_to_the_contract_alone(tmp_path: Path) -> None:
    """What CONTRIBUTING promises: the tests and the demo take what follows for them from the contract."""
    top = tmp_path / "checkout"
    shutil.copytree(TOP, top, ignore=_LEFT_OUT)
    share_formatted(top)
    (top / "spec" / "reversals.yaml").write_text(_REVERSALS, encoding="utf-8")
    add_the_worked_example(top / "spec")
    path = os.pathsep.join(str(top / Path(folder).name) for folder in FOLDERS)
    command = ("-m", "paywright_cli", "contract", "--dir", top)
    run(*command, "generate", path=path, folder=top)
    run("-m", "docs.build", path=path, folder=top)
    for gate in (("check",), ("lint",), ("fmt", "--check"), ("coverage",), ("diff", "--released")):
        run(*command, *gate, path=path, folder=top)
    asked = (
        "tests/runtime/client/test_outcome_table.py",
        "tests/runtime/client/test_operations.py",
        "tests/generated/test_rules.py",
        "tests/generated/test_value_lists.py",
        "tests/sandbox/resources/test_queries.py",
    )
    chosen = "reversals or Reversal or refunds.cancel or contract or line or marked or test_queries"
    pytest_ = ("-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider")
    said = run(*pytest_, *asked, "-k", chosen, path=path, folder=top)
    assert "SKIPPED" not in said
    run(*pytest_, "tests/docs/added_operation.py", path=path, folder=top)
    shown = run(top / "examples" / "demo.py", path=path, folder=top)
    for name in ("reversals.create", "reversals.query"):
        assert f"  {name}: PARAMS_INVALID, verified" in shown
    assert "All of it happened as it should." in shown
