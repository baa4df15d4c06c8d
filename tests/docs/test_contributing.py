"""CONTRIBUTING's worked example, taken at its word: add the operation, generate, call it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
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
assert client.refunds.resolve("REF_1").operation == "refunds.create"
assert client.refunds.resolve_cancel("REF_1").step().state == "no_query"
try:
    client.refunds.cancel(out_refund_no="R" * 65)
except ContractViolation as error:
    assert [one.pointer for one in error.violations] == ["/data/outRefundNo"]
    print("as worked through")
"""

# A file of the contract that nobody has: two operations, rules of both messages, and a list of states.
_PAYOUTS = """\
operations:

  # Pay out available balance to a bank account.
  payouts.create [4.19]:
    post: /aggregate-pay/api/gateway/payout
    version: 1.0
    envelope: gateway
    key: outPayoutNo ?key-case
    resolved by: payouts.query by outPayoutNo
    echoes: outPayoutNo
    shows: payoutAmount, payoutCurrency
    refuses: BALANCE_INSUFFICIENT PARAMS_INVALID ?refusal-codes
    request:
      # the same again whenever this very payout is repeated, because a new one means that money is paid out once more
      outPayoutNo!: string min 1 max 64 eg PO_0001
      payoutAmount!: amount max 20 eg 10.50
      payoutCurrency!: currency exactly 3 eg USD
      bankAccountNo: string max 34 pii
      walletId: string max 64
    rules:
      where-to [4.19]: need bankAccountNo or walletId
    before sending:
      amount-above-zero [4.19]: payoutAmount above 0 ?amounts-sent
    response: Payout

  # Ask what became of a payout.
  payouts.query [4.20]:
    post: /aggregate-pay/api/gateway/payoutQuery
    version: 1.0
    envelope: gateway
    echoes: outPayoutNo
    absent: ORDER_NOT_EXIST ?exchange-absent
    request:
      outPayoutNo!: string max 64 eg PO_0001
    response: Payout

types:

  Payout [4.19]:                                               # A payout.
    outPayoutNo!: string max 64
    payoutAmount!: amount eg 10.50
    payoutCurrency!: currency eg USD
    status!: PayoutStatus max 32
    failReason: string max 256

rules:

  Payout:
    reason-of-failure [4.19]: when status in PENDING SUCCESS, failReason is empty

states:

  PayoutStatus [4.19]:                                         # State of a payout.
    PENDING: not finished yet
    SUCCESS final paid: paid out
    FAILED final: failed
"""
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".cache", ".*_cache", "__pycache__", ".hypothesis", "dist", "build")


def run(*command: str | Path, path: str, folder: Path | None = None) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *command],
        env={**env, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose contract has the operation of the example."""
    shutil.copytree(TOP / "spec", tmp_path / "spec")
    if (TOP / ".cache" / "black").is_dir():  # spares formatting what has been formatted
        shutil.copytree(TOP / ".cache" / "black", tmp_path / ".cache" / "black")
    operation, type_, version = _YAML.findall((TOP / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    add(tmp_path / "spec" / "refunds.yaml", "\ntypes:\n\n", f"\n{operation}\ntypes:\n\n{type_}\n")
    last = "  snap.cancel: 1.4\n"
    add(tmp_path / "spec" / "service.yaml", last, last + version)
    return tmp_path


def add(file: Path, place: str, text: str) -> None:
    before = file.read_text(encoding="utf-8")
    assert before.count(place) == 1
    file.write_text(before.replace(place, text), encoding="utf-8")


def test_the_worked_example_gives_a_method_that_works(checkout: Path) -> None:
    path = os.pathsep.join(str(top / name) for top, name in ((TOP, "cli"), (TOP, "codegen"), (TOP, "runtime")))
    command = ("-m", "paywright_cli", "contract", "--dir", checkout)
    run(*command, "lint", path=path)
    run(*command, "generate", path=path)
    assert "refunds.cancel" in run(*command, "show", "refunds.cancel", path=path)
    script = checkout / "call.py"
    script.write_text(_CALL)
    assert run(script, path=f"{checkout / 'generated'}{os.pathsep}{path}") == "as worked through\n"


def test_an_operation_is_added_to_the_contract_alone(tmp_path: Path) -> None:
    """What CONTRIBUTING promises: the tests and the demo take what follows for them from the contract."""
    top = tmp_path / "checkout"
    shutil.copytree(TOP, top, ignore=_LEFT_OUT)
    if (TOP / ".cache" / "black").is_dir():
        shutil.copytree(TOP / ".cache" / "black", top / ".cache" / "black")
    (top / "spec" / "payouts.yaml").write_text(_PAYOUTS, encoding="utf-8")
    last = "  snap.cancel: 1.4\n"
    add(top / "spec" / "service.yaml", last, f"{last}  payouts.create: 1.0\n  payouts.query: 1.0\n")
    path = os.pathsep.join(
        str(top / name) for name in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
    )
    run("-m", "paywright_cli", "contract", "--dir", top, "generate", path=path, folder=top)
    run(top / "docs" / "build.py", path=path, folder=top)
    asked = (
        "tests/runtime/client/test_outcome_table.py",
        "tests/runtime/client/test_operations.py",
        "tests/generated/test_rules.py",
        "tests/generated/test_value_lists.py",
    )
    chosen = "payouts or Payout or contract or line or marked"
    said = run("-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", *asked, "-k", chosen, path=path, folder=top)
    assert "payouts" not in said, "nothing of it is skipped"
    shown = run(top / "examples" / "demo.py", path=path, folder=top)
    for name in ("payouts.create", "payouts.query"):
        assert f"  {name}: PARAMS_INVALID, verified" in shown
    assert "All of it happened as it should." in shown
