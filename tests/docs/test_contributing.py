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
    # A file that nobody has: a write with its query and notification, rules of both messages, a list of states.
    shutil.copy(Path(__file__).with_name("reversals.yaml"), top / "spec")
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
