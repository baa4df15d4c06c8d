"""Run tools of other languages on the exported documents: `make test-tools`. They are fetched once, in pinned versions.

The sandbox answers them. What a machine has no compiler for is named and left out.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tests.support.ports import lasting_port
from tests.tools.servers import servers as seen_behind_servers

HERE: Final = Path(__file__).resolve().parent
TOP: Final = HERE.parents[1]
TOOLS: Final = TOP / ".cache" / "tools"
PYTHON: Final = (
    "openapi-generator-cli==7.26.0", "datamodel-code-generator==0.89.0", "schemathesis==4.32.5",
    "pydantic>=2", "python-dateutil", "typing-extensions", "urllib3>=2",
)  # fmt: skip
JARS: Final = (
    "jackson-core-2.17", "jackson-annotations-2.17", "jackson-databind-2.17", "jackson-datatype-jsr310-2.17",
    "jakarta.annotation-api-2", "jsr305-3",
)  # fmt: skip
ORDERS: Final = "/aggregate-pay/api/gateway/orderAndPay"
QUERY: Final = "/aggregate-pay/api/gateway/paymentOrderQry"


class Absent(Exception):
    """What a step needs is not on this machine."""


class Workshop:
    """A folder with the documents and the tools, and a sandbox that runs."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.base = f"http://127.0.0.1:{port}"
        self.bin = TOOLS / "venv" / "bin"
        for name in ("package.json", "node_modules"):
            (folder / name).symlink_to(TOOLS / name)
        shutil.copy(TOP / "examples" / "shop.ts", folder)
        self.env = {
            **os.environ,
            "PATH": f"{TOOLS}/node_modules/.bin{os.pathsep}{self.bin}{os.pathsep}{os.environ['PATH']}",
        }
        for line in (folder / "shop" / ".env").read_text().splitlines():
            name, sign, value = line.partition("=")
            if sign and not name.startswith("#"):
                self.env[name] = value
        self.run(sys.executable, "-m", "paywright_cli", "contract", "export", "openapi", "--out", "openapi.json")
        self.openapi: dict[str, Any] = json.loads((folder / "openapi.json").read_text())
        (folder / "control.json").write_bytes(urllib.request.urlopen(f"{self.base}/_sandbox/openapi.json").read())

    def run(self, *command: str | Path, **settings: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env={**self.env, **settings}, stdout=-1, stderr=-2, text=True, timeout=600
        )
        if done.returncode:
            raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
        return done.stdout

    def example(self, path: str, name: str) -> dict[str, Any]:
        body = self.openapi["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        made: dict[str, Any] = body["examples"][name]["value"]
        return made

    def answers(self) -> list[Path]:
        """The sandbox's answers to a hosted order, a Drop-In order, and a wrong signature."""
        key = load_pem_private_key(Path(self.env["PAYWRIGHT_PRIVATE_KEY_FILE"]).read_bytes(), None)
        assert isinstance(key, RSAPrivateKey)
        files = []
        for number, name in enumerate(("orders.checkout", "orders.drop_in", "orders.checkout")):
            body = self.example(ORDERS, name)
            now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            body |= {"requestTime": now, "appId": self.env["PAYWRIGHT_APP_ID"]}
            body |= {"merchantNo": self.env["PAYWRIGHT_MERCHANT_NO"]}
            body["data"]["outTradeNo"] = f"ORD_{time.time_ns()}"
            raw = json.dumps(body).encode()
            sign = base64.b64encode(key.sign(raw, PKCS1v15(), SHA256())).decode() if number < 2 else "x"
            files.append(self.folder / f"answer{number}.json")
            files[-1].write_bytes(post(self.base + ORDERS, raw, sign))
        codes = [json.loads(file.read_bytes())["code"] for file in files]
        assert codes == ["APPLY_SUCCESS", "APPLY_SUCCESS", "SIGN_VERIFY_FAILED"], codes
        return files


def post(url: str, raw: bytes, sign: str) -> bytes:
    asked = urllib.request.Request(url, raw, {"Content-Type": "application/json", "sign": sign})
    answered: bytes = urllib.request.urlopen(asked, timeout=60).read()
    return answered


@contextmanager
def serving(shop: Workshop | None, url: str, *command: str | Path, cwd: Path, env: dict[str, str]):  # type: ignore[no-untyped-def]
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=-3, stderr=-3)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(url)
            except urllib.error.HTTPError:
                break
            except OSError:
                assert process.poll() is None, f"{command} ended"
                time.sleep(0.1)
            else:
                break
        yield
    finally:
        process.terminate()
        process.wait()


def linters(shop: Workshop) -> None:
    """Neither finds an error; both have warnings."""
    shop.run("redocly", "lint", "openapi.json", "--extends=recommended")
    (shop.folder / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    shop.run("spectral", "lint", "-r", "rules.yaml", "openapi.json")


def typescript(shop: Workshop) -> None:
    """The generated types compile, and examples/shop.ts buys and gives back; then again through a validating proxy."""
    for name, types in (("openapi", "schema"), ("control", "control")):
        shop.run("openapi-typescript", f"{name}.json", "-o", f"{types}.d.ts")
    options = {"target": "es2022", "module": "nodenext", "strict": True, "outDir": "out", "types": ["node"]}
    (shop.folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options, "files": ["shop.ts", "control.d.ts"]})
    )
    shop.run("tsc", "-p", ".")
    assert "refund REFUND_SUCCESS" in shop.run("node", "out/shop.js")


def prism(shop: Workshop) -> None:
    """As a mock, an order query answers an order; as a proxy it lets a whole purchase through and finds nothing wrong."""
    port = lasting_port()
    url = f"http://127.0.0.1:{port}"
    with serving(shop, url, "prism", "mock", "openapi.json", "-p", str(port), cwd=shop.folder, env=shop.env):
        answered = json.loads(post(url + QUERY, json.dumps(shop.example(QUERY, "orders.query")).encode(), "x"))
        assert (answered["code"], answered["data"]["status"]) == ("APPLY_SUCCESS", "SUCCESS")
    command = ("prism", "proxy", "openapi.json", shop.base, "--errors", "-p", str(port))
    with serving(shop, url, *command, cwd=shop.folder, env=shop.env):
        said = shop.run("node", "out/shop.js", PAYWRIGHT_BASE_URL=url, PAYWRIGHT_SANDBOX_URL=shop.base)
        assert "refund REFUND_SUCCESS" in said


def schemathesis(shop: Workshop) -> None:
    checks = "response_schema_conformance,not_a_server_error"
    shop.run("schemathesis", "run", "openapi.json", "--url", shop.base, "--checks", checks, "--max-examples", "5",
             "--phases", "examples,fuzzing", "-H", "sign: x")  # fmt: skip


def python(shop: Workshop) -> None:
    shop.run("openapi-generator-cli", "generate", "-i", "openapi.json", "-g", "python", "-o", "python",
             "--additional-properties=packageName=gateway")  # fmt: skip
    shop.run("datamodel-codegen", "--input", "openapi.json", "--input-file-type", "openapi", "--output", "python/models.py",
             "--output-model-type", "pydantic_v2.BaseModel")  # fmt: skip
    read = (
        "import sys, gateway, models\n"
        "from gateway.models.orders_checkout_or_orders_drop_in200_response import OrdersCheckoutOrOrdersDropIn200Response as A\n"
        "for file in sys.argv[1:]:\n"
        "    text = open(file).read()\n"
        "    assert A.from_json(text).actual_instance.code == models.OrdersCheckoutResponseMessage.model_validate_json(text).code\n"
    )
    shop.run(shop.bin / "python", "-c", read, *shop.answers(), PYTHONPATH=str(shop.folder / "python"))


def java(shop: Workshop) -> None:
    """The client compiles and reads answers. The jars that it needs are looked for in Maven's folder and Debian's."""
    if shutil.which("javac") is None:
        raise Absent("javac")
    folders = (Path.home() / ".m2" / "repository", Path("/usr/share/java"))
    found = [next((jar for top in folders for jar in sorted(top.rglob(f"{name}*.jar"))), None) for name in JARS]
    if None in found:
        raise Absent(" ".join(name for name, jar in zip(JARS, found, strict=True) if jar is None))
    ways = os.pathsep.join([str(shop.folder / "java" / "out"), *map(str, found)])
    shop.run("openapi-generator-cli", "generate", "-i", "openapi.json", "-g", "java", "-o", "java", "--library", "native",
             "--additional-properties=openApiNullable=false,useJakartaEe=true")  # fmt: skip
    sources = [str(path) for path in (shop.folder / "java" / "src" / "main").rglob("*.java")]
    (shop.folder / "sources").write_text("\n".join([*sources, str(HERE / "ReadAnswers.java")]))
    shop.run("javac", "-proc:none", "-nowarn", "-d", "java/out", "-cp", ways, "@sources")
    shop.run("java", "-cp", ways, "ReadAnswers", *shop.answers())


def php(shop: Workshop) -> None:
    if shutil.which("php") is None:
        raise Absent("php")
    shop.run("openapi-generator-cli", "generate", "-i", "openapi.json", "-g", "php", "-o", "php")
    for path in (shop.folder / "php" / "lib").rglob("*.php"):
        shop.run("php", "-l", path)


def control(shop: Workshop) -> None:
    shop.run("openapi-generator-cli", "generate", "-i", "control.json", "-g", "typescript-fetch", "-o", "control")
    (entry,) = [path for path in (shop.folder / "control").rglob("index.ts") if (path.parent / "runtime.ts").exists()]
    shop.run(
        "tsc", "--target", "es2022", "--module", "preserve", "--moduleResolution", "bundler", "--outDir", "made", entry
    )


def servers(shop: Workshop) -> None:
    """Twenty-one servers and frameworks, each by itself and behind four proxies, hand on what docs/servers.md says."""
    seen_behind_servers(shop.folder, lambda name: print(f"left out of servers: there is no {name}", flush=True))


STEPS: Final[tuple[Callable[[Workshop], None], ...]] = (
    linters, typescript, prism, schemathesis, python, java, php, control, servers,
)  # fmt: skip


def main(words: list[str]) -> int:
    """Run the steps, or those that are named. Return 1 if one fails."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_text()
    if not (TOOLS / "node_modules").exists() or (TOOLS / "package.json").read_text() != wanted:
        (TOOLS / "package.json").write_text(wanted)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=TOOLS, check=True)
    if not (TOOLS / "venv" / "bin" / "schemathesis").exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS / "venv"], check=True)
        subprocess.run([TOOLS / "venv" / "bin" / "pip", "install", "--quiet", *PYTHON], check=True)
    failed = passed = 0
    with TemporaryDirectory() as made, ExitStack() as stack:
        folder, port, cli = Path(made), lasting_port(), (sys.executable, "-m", "paywright_cli", "sandbox")
        subprocess.run([*cli, "init", folder / "shop", "--port", str(port)], check=True, stdout=-3)
        health = f"http://127.0.0.1:{port}/_sandbox/health"
        stack.enter_context(serving(None, health, *cli, "--dir", folder / "shop", cwd=TOP, env={**os.environ}))
        shop = Workshop(folder, port)
        for step in STEPS:
            if words and step.__name__ not in words:
                continue
            try:
                step(shop)
            except Absent as absent:
                print(f"left out {step.__name__}: there is no {absent}", flush=True)
            except Exception as error:
                failed += 1
                print(f"NOT {step.__name__}: {error}", flush=True)
            else:
                passed += 1
                print(f"ok {step.__name__}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
