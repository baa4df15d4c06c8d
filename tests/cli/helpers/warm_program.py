"""`paywright` as a program of its own, again and again, from one process that has imported it: all but its start is the same.

Each message on the socket whose number is its argument asks for one run: what follows `python`, which is `-m paywright_cli` or
`-c TEXT` and arguments, its folder, umask and environment as JSON, with its standard input, output and errors, and a pipe for its
exit code.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import random
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

_ONCE = ("paywright.aio", "paywright.models", "paywright_audit", "paywright_receiver", "paywright_sandbox.gateway")


def import_all() -> Path:
    """Import what commands use, and return the folder of the program."""
    cli = import_module("paywright_cli")
    folder = Path(str(cli.__file__)).parent
    names = [one.name for one in pkgutil.walk_packages([str(folder)], "paywright_cli.") if "__main__" not in one.name]
    for name in (*names, *_ONCE):
        with suppress(ImportError):  # an extra that is not installed
            import_module(name)
    gc.freeze()
    return folder


def next_run(requests: socket.socket) -> list[str]:
    """Return in a new process for each request, which has all that was asked for, with the command."""
    while True:
        message, files, _, _ = socket.recv_fds(requests, 1 << 20, 4)
        if message and os.fork() == 0:
            break
        for file in files:
            os.close(file)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG if message else 0)[0]:
                pass
        if not message:  # whoever asks has ended
            os._exit(0)
    *standard, ended = files
    run = os.fork()
    if run != 0:
        for file in standard:
            os.close(file)
        os.write(ended, b"%d" % os.waitstatus_to_exitcode(os.waitpid(run, 0)[1]))
        os._exit(0)
    os.close(ended)
    requests.close()
    for number, file in enumerate(standard):
        os.dup2(file, number)
        os.close(file)
    command, folder, umask, environment = json.loads(message)
    os.environ.clear()
    os.environ.update(environment)
    os.umask(umask)
    os.chdir(folder)
    sys.path[0] = os.getcwd()
    time.tzset()
    random.seed()
    return list(command)


if __name__ == "__main__":
    asked = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = "/"
    program = import_all() / "__main__.py"
    how, what, *arguments = next_run(asked)
    if how == "-c":
        sys.argv = ["-c", *arguments]
        exec(what, {"__name__": "__main__"})
    else:
        sys.argv = [str(program), *arguments]
        sys.exit(import_module("paywright_cli.main").main())
