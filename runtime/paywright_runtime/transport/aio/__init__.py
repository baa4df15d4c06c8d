"""The transport of awaited calls, for asyncio and trio. Needs the extra `async`."""

from paywright_runtime.errors import ConfigurationError

try:
    import anyio
except ModuleNotFoundError as _problem:
    if _problem.name != "anyio":
        raise
    raise ConfigurationError("The awaited client needs an extra: pip install 'paywright[async]'.") from None
del anyio
