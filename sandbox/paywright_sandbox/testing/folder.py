"""The folder of a sandbox for tests, with its keys and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_sandbox.engine.settings import SETTINGS_FILE, SandboxSettings
from paywright_sandbox.gateway import make_policies, read_settings
from paywright_sandbox.init import make_folder


@contextmanager
def sandbox_folder(
    directory: Path | None, policies: Mapping[str, object] | None, seed: str | None
) -> Iterator[tuple[Path, SandboxSettings]]:
    """Yield a folder with keys, made if there are none, and its settings. None makes a temporary folder for the block.

    `policies` and `seed` replace those of sandbox.toml.
    """
    with TemporaryDirectory(prefix="paywright-sandbox-") if directory is None else nullcontext(directory) as made:
        folder = Path(made)
        if not (folder / SETTINGS_FILE).exists():
            make_folder(folder)
        settings = read_settings(folder)
        if policies is not None:
            settings.policies = make_policies(policies)
        if seed is not None:
            settings.seed = seed
        yield folder, settings
