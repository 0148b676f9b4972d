"""Starts the programs `narratoria` and `mctl` without their half second of imports.

One process imports them once and forks for each start. What is started is a process like any other: it has
arguments, an environment, a folder, streams and an exit status of its own, and it can be sent signals. Tests
of what an interpreter does when it starts (imports, warnings, flags) start a real one.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

PROGRAMS = ("narratoria.cli", "narratoria.mctl")
LARGEST = 1 << 20  # bytes of a request: an environment and arguments
# what commands import when they are called; beyond these and their own modules, they import for themselves
IMPORTED = (
    "narratoria.app",
    "narratoria.campaign.enrich.enrichment",
    "narratoria.inference.embedder",
    "narratoria.inference.shipped_vectors",
    "narratoria.narrator.unit_matcher",
    "narratoria.planner.act_classifier",
    "narratoria.planner.skill_scorer",
    "narratoria.store.store",
    "narratoria.web.server",
)

# what a shell finds instead of the commands: it asks for a fork with its own streams, and waits for its end
SHELL_COMMAND = """\
#!{python} -IS
import json, os, socket, struct, sys
request = {{"program": {program!r}, "arguments": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}}
umask = os.umask(0)
os.umask(umask)
server = socket.socket(fileno={server})
status, theirs = socket.socketpair()
content = json.dumps({{**request, "session": False, "umask": umask}}).encode()
socket.send_fds(server, [content], [0, 1, 2, theirs.fileno()])
theirs.close()
for stream in (0, 1, 2):
    os.close(stream)
status.recv(4)
(ended,) = struct.unpack("i", status.recv(4))
code = os.waitstatus_to_exitcode(ended)
os._exit(code if code >= 0 else 128 - code)
"""


class WarmProcess(subprocess.Popen[Any]):
    """As `subprocess.Popen([sys.executable, "-m", program, *arguments], …)`, forked from a warm process."""

    def _execute_child(self, args: list[str], *settings: Any) -> None:
        # in the order of CPython's own method
        assert settings[1] is None, "nothing can be run between fork and start: start a real process"
        cwd, env, pipes, start_new_session = settings[4], settings[5], settings[9:15], settings[20]
        own = (pipes[0], pipes[3], pipes[5])
        streams = [standard if given == -1 else given for standard, given in enumerate(own)]
        request = {
            "program": args[0],
            "arguments": [os.fspath(argument) for argument in args[1:]],
            "cwd": os.fspath(cwd or Path.cwd()),
            "env": {name: os.fspath(value) for name, value in (os.environ if env is None else env).items()},
            "session": bool(start_new_session),
            "umask": _umask(),
        }
        self._status, theirs = socket.socketpair()
        with theirs:
            content = json.dumps(request).encode()
            socket.send_fds(_server(), [content], [*streams, theirs.fileno()])
        (self.pid,) = struct.unpack("i", self._status.recv(4))
        self._child_created = True
        self._close_pipe_fds(*pipes)

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        (status,) = struct.unpack("i", self._status.recv(4))
        self._status.close()
        return self.pid, status

    def _internal_poll(self, _deadstate: int | None = None, **_: Any) -> int | None:
        with self._waitpid_lock:
            if self.returncode is None and (ended := self._try_wait(os.WNOHANG))[0]:
                self._handle_exitstatus(ended[1])
        return self.returncode


def _umask() -> int:
    os.umask(now := os.umask(0))
    return now


def start_warm(program: str, *arguments: str, **options: Any) -> subprocess.Popen[Any]:
    """Start a program with `subprocess.Popen`'s options."""
    if not hasattr(os, "fork"):
        return subprocess.Popen([sys.executable, "-m", program, *arguments], **options)
    return WarmProcess([program, *arguments], **options)


def run_warm(
    program: str,
    *arguments: str,
    input: str | bytes | None = None,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end with `subprocess.run`'s options, its output captured."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with start_warm(program, *arguments, **options) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess([program, *arguments], process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


@contextlib.contextmanager
def warm_commands() -> Iterator[tuple[Path, int]]:
    """Yield a folder for a shell's PATH with `narratoria` and `mctl`, and the descriptor that they need."""
    with tempfile.TemporaryDirectory(prefix="narratoria-warm-") as folder:
        for program in PROGRAMS:
            name = "narratoria" if program == "narratoria.cli" else "mctl"
            text = SHELL_COMMAND.format(python=sys.executable, program=program, server=_server().fileno())
            (Path(folder) / name).write_text(text, encoding="utf-8")
            (Path(folder) / name).chmod(0o755)
        yield Path(folder), _server().fileno()


def stop_warm_server() -> None:
    """End the process that forks, if it was ever needed."""
    if _server.cache_info().currsize:
        _server().close()
        _server.cache_clear()
        _SERVERS.pop().wait(60)


_SERVERS: list[subprocess.Popen[bytes]] = []  # at most one


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        # it ends when this process does, however that ends: nobody holds the other end then
        _SERVERS.append(subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment))
    assert ours.recv(1) == b"+"
    return ours


def _import_programs() -> None:
    for module in IMPORTED:
        import_module(module)
    for program in PROGRAMS:
        for module in pkgutil.iter_modules(import_module(program).__path__, f"{program}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    import_module("narratoria.contracts.struct_types").prepare_struct_types()
    list(import_module("narratoria.narrator.composer_lines").find_lines(""))
    _load_what_is_only_read()
    gc.collect()
    gc.freeze()


def _load_what_is_only_read() -> None:
    """Load what any process that tells a story loads, the model that reads typed words among it."""
    from narratoria import app
    from narratoria.campaign.enrich.likeness import measure_likeness
    from narratoria.campaign.enrich.premise import kinds_of_world
    from narratoria.campaign.lore import count_tokens
    from narratoria.inference.installed_models import find_embedder
    from narratoria.narrator.repertoire import load_repertoire

    load_repertoire()
    count_tokens("")
    measure_likeness("", [kind.text for kind in kinds_of_world().values()])
    if folder := find_embedder():
        app._load_readers(folder)
        app._load_scorer(folder)


def _serve(requests: socket.socket) -> Callable[[], None]:
    """Fork for each request; return in the fork, with what it is to run."""
    bell, ring = os.pipe()
    for end in (bell, ring):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(ring)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: pytest answers it, and this ends with it
    running: dict[int, socket.socket] = {}
    requests.send(b"+")
    while True:
        ready, _, _ = select.select([requests, bell], [], [])
        if bell in ready:
            os.read(bell, 4096)
            _report(running)
        if requests not in ready:
            continue
        content, descriptors, _, _ = socket.recv_fds(requests, LARGEST, 4)
        if not content:
            sys.exit()
        status = socket.socket(fileno=descriptors[3])
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            for other in (requests, status, *running.values()):
                other.detach()  # they are closed below
            return _become(json.loads(content), descriptors[:3])
        for stream in descriptors[:3]:
            os.close(stream)
        status.send(struct.pack("i", pid))
        running[pid] = status


def _report(running: dict[int, socket.socket]) -> None:
    for pid, socket_ in list(running.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            with running.pop(pid), contextlib.suppress(OSError):  # whoever started it may be gone
                socket_.send(struct.pack("i", status))


def _become(request: dict[str, Any], streams: list[int]) -> Callable[[], None]:
    """Make this process the one that was asked for."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    if request["session"]:
        os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.umask(request["umask"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [request["program"], *request["arguments"]]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
    is_terminal = os.isatty(1)
    out = io.BufferedWriter(io.FileIO(1, "w", closefd=False))
    sys.stdout = io.TextIOWrapper(out, "utf-8", line_buffering=is_terminal)
    err = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", line_buffering=True)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    warnings.resetwarnings()
    warnings.simplefilter("error" if request["env"].get("PYTHONWARNINGS") == "error" else "ignore")
    runtime = uuid.uuid4().hex  # of each process, by which it finds what it has started
    for module in list(sys.modules.values()):
        if hasattr(module, "RUNTIME_ID"):
            module.RUNTIME_ID = runtime
    main: Callable[[], None] = import_module(request["program"]).main
    return main


def _run(main: Callable[[], None]) -> None:
    """Run a program and end as an interpreter does, save that it does not take all it has imported down."""
    status = 0
    try:
        main()
    except SystemExit as leaving:
        if not isinstance(leaving.code, int | None):
            raise
        status = leaving.code or 0
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _import_programs()
    _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
