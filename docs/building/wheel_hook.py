"""Build hook of hatchling: give the wheel the packed documentation, for `paywright docs`, the places of the contract, and JSON without indents."""

from __future__ import annotations

import bz2
import json
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MadeFiles(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own configuration
    """Adds the pages to `paywright_cli`, the places and smaller JSON to `paywright`. An editable installation has those of the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files, and include them."""
        if version == "editable":
            return
        zlib.Z_DEFAULT_COMPRESSION = zlib.Z_BEST_COMPRESSION  # type: ignore[misc]  # zipfile asks for it; hatchling has no setting
        top = Path(self.root)
        sys.path[:0] = [str(top / name) for name in ("cli", "codegen", "runtime")]
        try:
            from paywright_cli.common.pages import PACKED, checkout_pages, pack
            from paywright_codegen.generation.places import PLACES, places_text
            from paywright_codegen.reader.loader import load
            from paywright_runtime.contract import index
        finally:
            del sys.path[:3]
        self._folder = TemporaryDirectory(prefix="paywright-wheel-")
        made = {
            f"paywright_cli/{PACKED}": pack(checkout_pages(top / "docs")),
            f"paywright/{PLACES}": places_text(load(top / "spec")).encode(),
        }
        package = top / "generated" / "paywright"
        for path in package.rglob("*.json"):  # indented for people who review it
            text = json.dumps(json.loads(path.read_bytes()), ensure_ascii=False, separators=(",", ":"))
            made[f"paywright/{path.relative_to(package).as_posix()}"] = f"{text}\n".encode()
        documents = [made.pop(f"paywright/{name}.json") for name in index.DOCUMENTS]
        made[f"paywright/{index.PACKED}"] = bz2.compress(b"".join(documents))
        for number, (target, content) in enumerate(sorted(made.items())):
            path = Path(self._folder.name) / str(number)
            path.write_bytes(content)
            build_data["force_include"][str(path)] = target

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files, which the wheel has now."""
        if version != "editable":
            self._folder.cleanup()
