"""Build hook of hatchling: pack the documentation into the wheel, for `paywright docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackedPages(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own configuration
    """Adds the pages to `paywright_cli`. An editable installation reads those of the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the packed pages, and include them."""
        if version == "editable":
            return
        top = Path(self.root)
        sys.path.insert(0, str(top / "cli"))  # its modules need nothing that is installed
        try:
            from paywright_cli.commands.docs.pages import PACKED, checkout_pages, pack
        finally:
            sys.path.pop(0)
        self._folder = TemporaryDirectory(prefix="paywright-pages-")
        packed = Path(self._folder.name) / PACKED
        packed.write_bytes(pack(checkout_pages(top / "docs")))
        build_data["force_include"][str(packed)] = f"paywright_cli/{PACKED}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the packed pages, which the wheel has now."""
        if version != "editable":
            self._folder.cleanup()
