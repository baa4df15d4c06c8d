"""The environment of a command: this process's, and a file of NAME=VALUE lines."""

from __future__ import annotations

import os
from pathlib import Path

from paywright_cli.common.terminal import Usage, read_input
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.env_file import MOST, env_values

__all__ = ["environment"]


def environment(file: Path | None) -> dict[str, str]:
    """Return the environment of this process, overridden by the names in `file`. Raises `Usage`, which never shows a value."""
    if file is None:
        return dict(os.environ)
    try:
        return {**os.environ, **env_values(read_input(str(file), MOST), str(file))}
    except ConfigurationError as error:
        raise Usage(str(error)) from None
