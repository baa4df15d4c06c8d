"""Settings of a generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a generation: the contract's folder, the output, the package's name, and what it exports by hand.

    `cache` is a folder for formatted files, which may be deleted at any time, or None. `patterns` are the regular
    expressions of the runtime's format checks, for JSON Schema. `client_arguments` are docstring lines for the
    arguments of the clients. With `manifest` the package lists its files, and no other file in its folder is touched.
    """

    spec: Path
    out: Path
    package: str
    public: Mapping[str, str]
    patterns: Mapping[str, str]
    cache: Path | None = None
    client_arguments: tuple[str, ...] = ()
    manifest: bool = False

    @property
    def root(self) -> Path:
        """The folder of the package."""
        return self.out.joinpath(*self.package.split("."))
