"""`paywright sandbox policies`: list policies with default, current value and open question, without a server."""

from __future__ import annotations

import argparse
import json

__all__ = ["list_policies"]


def list_policies(args: argparse.Namespace) -> None:
    """Print all policies. Raises `ConfigurationError` if sandbox.toml is invalid."""
    from paywright_sandbox.engine.settings import SETTINGS_FILE
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
        print(json.dumps(rows, indent=1))
        return
    print(
        f"The policies of {args.dir / SETTINGS_FILE}:\n"
        if here
        else f"The defaults; there is no {args.dir / SETTINGS_FILE}:\n"
    )
    for name, policy in POLICIES.items():
        value = values.value(name)
        changed = "" if value == policy.default else f"   (default {_plain(policy.default)})"
        print(f"{name} = {_plain(value)}{changed}\n    {policy.summary} [{policy.question}]")


def _plain(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)
