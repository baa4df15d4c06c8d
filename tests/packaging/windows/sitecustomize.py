"""Take away from our modules what Python has not on Windows. Its folder on PYTHONPATH does it in all processes below.

Other modules keep it, because on Windows they have other code for the same. For ours `os.name` is `nt`. An audit hook refuses
what the file systems of Windows refuse, whoever asks.
"""

from __future__ import annotations

import asyncio.unix_events
import contextlib
import errno
import os
import select
import selectors
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from typing import Any

OURS = ("__main__", "__mp_main__", "buy", "paywright", "shop", "tinypay")
MODULES = "_curses crypt curses fcntl grp nis ossaudiodev posix pty pwd readline resource spwd syslog termios tty"
GONE = {  # but `sched_getaffinity`, which os.py itself calls
    os: "name O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC O_TMPFILE WNOHANG chown chroot "
    "confstr ctermid eventfd fchdir fchmod fchown fdatasync fork forkpty get_blocking getegid geteuid getgid getgroups "
    "getloadavg getpgid getpgrp getpriority getsid getuid getxattr initgroups killpg lchown lockf memfd_create mkfifo mknod "
    "nice openpty pathconf pipe2 posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev readv register_at_fork "
    "sched_yield sendfile set_blocking setegid seteuid setgid setpgid setsid setuid setxattr statvfs sync "
    "sysconf tcgetpgrp ttyname uname wait wait3 wait4 waitid writev",
    select: "devpoll epoll kqueue poll",
    signal: "ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN "
    "SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_BLOCK SIG_SETMASK "
    "SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait "
    "sigwaitinfo",
    socket: "AF_NETLINK AF_PACKET AF_UNIX SCM_RIGHTS SO_PEERCRED SO_REUSEPORT recv_fds send_fds",
    time: "clock_gettime clock_settime pthread_getcpuclockid tzset",
}  # fmt: skip
SIGNALS = {signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGINT, signal.SIGSEGV, signal.SIGTERM}

alone: set[str] = set()  # temporary files that nobody else may open


def is_ours(frame: types.FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(OURS)


def take_away() -> None:
    for module, names in GONE.items():
        kept = {name: vars(module).pop(name) for name in names.split() if hasattr(module, name)}
        module.__getattr__ = for_others(module, kept)  # type: ignore[attr-defined]
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]
    os.open, os.mkdir, os.chmod = opened, made, only_the_read_only_bit
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    selectors.DefaultSelector = selectors.SelectSelector  # type: ignore[misc,assignment]
    select.select = sockets_alone  # type: ignore[assignment]
    signal.signal, signal.set_wakeup_fd = few_signals, wake_a_socket
    socket.socketpair = pair  # type: ignore[assignment]
    socket.socket.setsockopt = options  # type: ignore[assignment,method-assign]
    for loop in (asyncio.unix_events._UnixSelectorEventLoop, asyncio.AbstractEventLoop):
        loop.add_signal_handler = loop.remove_signal_handler = not_there  # type: ignore[method-assign,assignment]
    tempfile.NamedTemporaryFile = tempfile.TemporaryFile = temporary_file  # type: ignore[assignment]
    warnings.filterwarnings("error", category=EncodingWarning, module="paywright")
    sys.addaudithook(look)


def for_others(module: types.ModuleType, kept: dict[str, Any]) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        ours = is_ours(sys._getframe(1))
        if ours and (module, name) == (os, "name"):
            return "nt"
        if ours or name not in kept:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r} on Windows")
        return kept[name]

    return missing


def not_there(*_: object) -> None:
    raise NotImplementedError


real = types.SimpleNamespace(
    chmod=os.chmod, mkdir=os.mkdir, open=os.open, select=select.select, set_wakeup_fd=signal.set_wakeup_fd,
    setsockopt=socket.socket.setsockopt, signal=signal.signal, temporary_file=tempfile.NamedTemporaryFile,
)  # fmt: skip


def opened(path: Any, flags: int, mode: int = 0, *, dir_fd: None = None) -> int:
    return int(real.open(path, flags, 0o666, dir_fd=dir_fd))  # the mode means nothing


def made(path: Any, mode: int = 0, *, dir_fd: None = None) -> None:
    real.mkdir(path, dir_fd=dir_fd)


def only_the_read_only_bit(path: Any, mode: int, **named: Any) -> None:
    real.chmod(path, 0o777 if os.path.isdir(path) else 0o666 if mode & stat.S_IWUSR else 0o444, **named)


def sockets_alone(*groups: Any) -> Any:
    for one in (one for group in groups[:3] for one in group):
        check_socket(one if isinstance(one, int) else one.fileno())
    return real.select(*groups)


def check_socket(number: int) -> None:
    if not stat.S_ISSOCK(os.fstat(number).st_mode):
        raise OSError(10038, "An operation was attempted on something that is not a socket")


def few_signals(number: int, handler: Any) -> Any:
    if number not in SIGNALS:
        raise ValueError("invalid signal value")
    return real.signal(number, handler)


def wake_a_socket(number: int, **named: Any) -> int:
    if number != -1:
        check_socket(number)
    return int(real.set_wakeup_fd(number, **named))


def pair(*_: object) -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        first = socket.create_connection(listening.getsockname())
        return first, listening.accept()[0]


def options(self: socket.socket, level: int, name: int, *value: Any) -> None:
    reused = level == socket.SOL_SOCKET and name == socket.SO_REUSEADDR
    assert not (reused and is_ours(sys._getframe(1))), "two could listen on one port"
    real.setsockopt(self, level, name, *value)


def temporary_file(*values: Any, delete: bool = True, **named: Any) -> Any:
    file = real.temporary_file(*values, delete=delete, **named)
    if delete:
        alone.add(file.name)
    return file


def is_held(path: str) -> bool:
    """Whether this process has the file open."""
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{number}") == path:
                return True
    return False


def check_free(path: Any) -> None:
    path = os.path.realpath(os.fsdecode(path))
    with contextlib.suppress(FileNotFoundError):
        if is_held(path):
            raise PermissionError(errno.EACCES, "The process cannot access the file because it is being used", path)
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode) and not found.st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "Access is denied", path)


def look(event: str, values: tuple[Any, ...]) -> None:
    """Refuse what the file systems of Windows refuse."""
    if event in ("open", "os.mkdir") and isinstance(values[0], str | bytes):
        path = os.fsdecode(values[0])
        name = os.path.basename(path)
        if set(name) & set('<>:"|?*\\') or name.endswith(" ") or (name.endswith(".") and name.strip(".")):
            raise OSError(errno.EINVAL, "The filename, directory name, or volume label syntax is incorrect", path)
        if event == "open" and (path in alone or (values[1] is None and os.path.isdir(path))):  # of os.open
            raise PermissionError(errno.EACCES, "Permission denied", path)
    elif event == "os.rename":
        check_free(values[0])
        check_free(values[1])
    elif event == "os.remove":
        alone.discard(os.fsdecode(values[0]))
        check_free(values[0])


take_away()
