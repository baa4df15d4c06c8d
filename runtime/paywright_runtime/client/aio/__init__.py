"""The client whose calls are awaited, under asyncio or trio. Needs the extra `async`."""

import paywright_runtime.transport.aio  # noqa: F401 -- raises an error that names the missing extra
