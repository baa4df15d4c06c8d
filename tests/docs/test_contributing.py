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
from paywright_runtime.exchange import RawAnswer
from paywright_runtime.keys import generate_key_pair

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


def run(*command: str | Path, path: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=120
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
    path = os.pathsep.join(str(top / name) for top, name in ((TOP, "codegen"), (TOP, "runtime"), (TOP, "tools")))
    command = ("-m", "paywright_tools.cli", "contract", "--dir", checkout)
    run(*command, "lint", path=path)
    run(*command, "generate", path=path)
    assert "refunds.cancel" in run(*command, "show", "refunds.cancel", path=path)
    script = checkout / "call.py"
    script.write_text(_CALL)
    assert run(script, path=f"{checkout / 'generated'}{os.pathsep}{path}") == "as worked through\n"
