"""`paywright sandbox policies`: list policies with default, current value and open question, without a server."""

from __future__ import annotations

import argparse
import json

from paywright_cli.common.terminal import say, say_json

__all__ = ["list_policies"]


def list_policies(args: argparse.Namespace) -> None:
    """Print all policies. Raises `ConfigurationError` if sandbox.toml is invalid."""
    from paywright_sandbox.engine.settings.settings import SETTINGS_FILE
    from paywright_sandbox.gateway import POLICIES, make_policies, read_settings

    # Without a folder there are only the defaults.
    here = (args.dir / SETTINGS_FILE).exists()
    values = read_settings(args.dir).policies if here else make_policies()
    if args.json:
        rows = [
            {
                "name": name,
                "default": policy.default,
                "value": values.value(name),
                "question": policy.question,
                "decides": policy.summary,
            }
            for name, policy in POLICIES.items()
        ]
        say_json(json.dumps(rows, indent=1))
        return
    file = args.dir / SETTINGS_FILE
    say(f"The policies of {file}:" if here else f"The defaults; there is no {file}:", "")
    for name, policy in POLICIES.items():
        value = values.value(name)
        changed = "" if value == policy.default else f"   (default {_plain(policy.default)})"
        say(f"{name} = {_plain(value)}{changed}", f"    {policy.summary} [{policy.question}]")


def _plain(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)
