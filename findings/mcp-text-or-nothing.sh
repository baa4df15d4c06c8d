#!/usr/bin/env bash
# mcp 2.3.0 and fastmcp 4.1.6 (pydantic 2.14.4), seen on 2026-12-01.
# One would guess: a tool with a parameter `str | None` gets the text that it is called with, as with `str`.
# What happens: mcp parses a text that is a JSON object or array unless the type is exactly `str`: a webhook's body is refused as "Input
# should be a valid string", the text null is None, and `str | dict` gets a dict in which 10.50 is a float. fastmcp leaves the text alone.
# Why it matters: a tool that verifies a signature, or keeps a body, works in tests with words, and fails with all real bodies.
# Known to: the receiver takes bytes as they came.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet mcp==2.3.0 fastmcp==4.1.6 pydantic==2.14.4 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
import asyncio

from fastmcp import Client, FastMCP
from mcp.server import MCPServer

theirs, fast = MCPServer("shop"), FastMCP("shop")
TEXTS = ('{"amount": 10.50}', "null", "word")


def exact(body: str) -> str:
    return repr(body)


def optional(body: str | None) -> str:
    return repr(body)


def either(body: str | dict) -> str:
    return repr(body)


for function in (exact, optional, either):
    theirs.tool()(function)
    fast.tool(function)


async def of_theirs(tool, text):
    try:
        return (await theirs.call_tool(tool, {"body": text})).structured_content["result"]
    except Exception as error:
        return "refused" if "valid string" in str(error) else str(error)


async def main():
    seen = {tool: [await of_theirs(tool, text) for text in TEXTS] for tool in ("exact", "optional", "either")}
    async with Client(fast) as client:
        kept = {tool: [(await client.call_tool(tool, {"body": text})).data for text in TEXTS] for tool in seen}
    return seen, kept


seen, kept = asyncio.run(main())
print(seen, kept)
asked = [repr(text) for text in TEXTS]
assert kept == dict.fromkeys(seen, asked), "this has changed"
assert seen == {
    "exact": asked,
    "optional": ["refused", "None", "'word'"],
    "either": ["{'amount': 10.5}", "refused", "'word'"],
}, "this has changed"
PY
