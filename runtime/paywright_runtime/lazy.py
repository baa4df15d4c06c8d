"""Import the names of a package from their modules at first use, so that importing the package stays cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(
    module: dict[str, object], homes: Mapping[str, str], needs: Mapping[str, str] = {}
) -> Callable[[str], object]:
    """Return the `__getattr__` of a module, given by its `globals()`, and set its `__dir__`.

    `homes` maps each module to its names; its own last name stands for the module itself. `needs` are the messages of names for
    which something must be installed, if it is not. Define the function under `if not TYPE_CHECKING`, or type checkers accept
    every name of the module.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        try:
            home = import_module(home_of[name])
        except ImportError as missing:
            if name not in needs:
                raise
            raise type(missing)(needs[name], name=missing.name) from missing
        value: object = home if home.__name__.endswith(f".{name}") else getattr(home, name)
        module[name] = value
        return value

    module["__dir__"] = lambda: sorted({*module, *home_of})
    return __getattr__
