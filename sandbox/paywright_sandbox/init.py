"""`paywright sandbox init`: make a folder with keys, settings and `.env` for a sandbox and its client."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Final

from paywright_runtime.errors import ConfigurationError
from paywright_runtime.private_files import PRIVATE, replace_file
from paywright_runtime.signing.keys import generate_key_pair
from paywright_sandbox.engine.settings import BIZ_PATH, SETTINGS_FILE
from paywright_sandbox.env_file import env_values
from paywright_sandbox.gateway import POLICIES

ENV_FILE: Final = ".env"
_NUMBERS: Final = {
    "app-id": "app_sandbox_1",
    "merchant-no": "MN0000000000001",
    "member-id": "MB0000000000001",
    "sp-merchant-no": "SP0000000000001",
    "merchant-id": "MI0000000000001",
    "snap-partner-id": "SNAP_PARTNER_1",
}

# They open nothing but this sandbox on this machine.
_SNAP: Final = {"SNAP_CLIENT_SECRET": "sandbox-client-secret", "SNAP_ACCESS_TOKEN": "sandbox-access-token"}


def make_folder(folder: Path, *, port: int = 8787, force: bool = False) -> list[Path]:
    """Write keys, settings and `.env` into `folder`, and return the files.

    With `force` existing files are replaced, keys too; the state of an earlier sandbox stays.
    Raises `ConfigurationError`, and writes nothing then.
    """
    folder = folder.absolute()
    if "," in str(folder) or not str(folder).isprintable():
        raise ConfigurationError(
            f"{str(folder)!r} has a comma or a control character in its path, and PAYWRIGHT_GATEWAY_KEY_FILES is a list "
            "separated by commas. Choose another folder. Nothing was written."
        )
    merchant, gateway = generate_key_pair(), generate_key_pair()
    keys = folder / "keys"
    secret = {
        keys / "merchant.key": merchant.private_pem,
        keys / "gateway.key": gateway.private_pem,
        folder / ENV_FILE: _env(keys, port),
    }
    shown = {
        keys / "merchant.pub": merchant.public_pem,
        keys / "gateway.pub": gateway.public_pem,
        folder / SETTINGS_FILE: _settings(port),
        folder / ".gitignore": "# Keep keys and state out of the repository.\n*\n",
    }
    there = [str(file) for file in (*secret, *shown) if file.exists()]
    if there and not force:
        raise ConfigurationError(
            f"{folder} has files with these names already: {', '.join(Path(name).name for name in there)}. Nothing was "
            "written. Choose another folder, or replace them (new keys too) with --force."
        )
    try:
        keys.mkdir(parents=True, exist_ok=True)
        keys.chmod(0o700)
        for files, mode in ((secret, PRIVATE), (shown, 0o644)):
            for file, content in files.items():
                replace_file(file, content.encode(), mode=mode)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written: {error.strerror or error}.") from None
    return [*secret, *shown]


def _settings(port: int) -> str:
    numbers = "\n".join(f"{name} = {json.dumps(value)}" for name, value in _NUMBERS.items())
    policies = "\n".join(
        f"# {policy.summary} [{policy.question}]\n# {policy.name} = {_toml(policy.default)}"
        for policy in POLICIES.values()
    )
    return f"""# A payment gateway on localhost. Serve it with: paywright sandbox --dir THIS_FOLDER

[server]
port = {port}                        # .env names it too
allowed-hosts = []                 # names besides localhost that are allowed in a Host header
deliver-to = []                    # hosts, or hosts:ports, besides this machine, to which notifications may be sent
max-body = 1048576                 # bytes

[gateway]
private-key-file = "keys/gateway.key"   # signs every answer

[clock]
judge-request-time = "wall"        # wall, sandbox or off
request-skew-seconds = 120         # [2.1]

[state]
seed = "1"                         # the same seed and history give the same ids
log-keeps = 10000                  # number of exchanges in `paywright sandbox log`, with whole bodies; 0 logs none

[[merchants]]                      # repeat this table for more merchants; while it runs: paywright sandbox merchants add
public-key-file = "keys/merchant.pub"
{numbers}
# notify-url = "http://127.0.0.1:9000/orders"          # if the request has none; also refund-notify-url,
# va-result-notify-url = "http://127.0.0.1:9000/va"    # call-back-url, subscription-payment-result-notify-url and
#                                                      # bill-payment-validation-url
snap-client-secret = "{_SNAP["SNAP_CLIENT_SECRET"]}"    # for the symmetric X-SIGNATURE [5.7]
snap-access-token = "{_SNAP["SNAP_ACCESS_TOKEN"]}"

[paths]                            # addresses that the specification does not show [4.7, 4.10]
"payment_tokens.inquire" = "{BIZ_PATH}"
"cases.inquire" = "{BIZ_PATH}"

[policies]                         # decisions that the specification leaves open; [question] is one of `paywright contract questions`
{policies}
"""


def _toml(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _env(keys: Path, port: int) -> str:
    values = {
        "BASE_URL": f"http://127.0.0.1:{port}",
        "PRIVATE_KEY_FILE": str(keys / "merchant.key"),
        "GATEWAY_KEY_FILES": str(keys / "gateway.pub"),
        **{name.replace("-", "_").upper(): value for name, value in _NUMBERS.items()},
        "SNAP_CHANNEL_ID": "95221",
        "SNAP_SIGNATURE": "asymmetric",
        **_SNAP,
        "PATHS": f"payment_tokens.inquire={BIZ_PATH},cases.inquire={BIZ_PATH}",
    }
    lines = "".join(f"PAYWRIGHT_{name}={shlex.quote(value)}\n" for name, value in values.items())
    return f"# For Client.from_env(): set -a; . {shlex.quote(str(keys.parent / ENV_FILE))}; set +a\n{lines}"


def read_env(folder: Path) -> dict[str, str]:
    """Return the names and values of the folder's `.env`. Raises `OSError` and `ConfigurationError`."""
    file = folder / ENV_FILE
    return env_values(file.read_bytes(), str(file))
