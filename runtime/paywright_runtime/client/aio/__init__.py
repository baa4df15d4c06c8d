"""The client whose calls are awaited: drivers of the same core for asyncio and trio. Needs the extra `async`."""

import paywright_runtime.transport.aio  # noqa: F401 -- says what to install where the extra is missing
