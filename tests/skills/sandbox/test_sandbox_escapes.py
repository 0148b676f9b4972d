"""Programs that try to leave their box, in every box this machine has: all are refused; the story goes on."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from narratoria import paths
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import Plan, PlanMetadata, RetryPolicy, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.protocol.command import Command
from narratoria.protocol.control_groups import find_group_support
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.process import Outcome, run
from narratoria.protocol.process_limits import MIB
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.runnable import InvocationRequest, Runnable, v0_tool
from narratoria.skills.sandbox import Resources, backends, probe, run_confined
from narratoria.skills.sandbox.backends import Backend
from narratoria.skills.skill import data_dir
from narratoria.state import SessionState

ATTEMPT = Path(__file__).parents[2] / "tools" / "escapes" / "attempt.py"
AS_AN_ORDINARY_USER = "ESCAPES_AS_AN_ORDINARY_USER"
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs")
BOXES: tuple[Backend, ...] = ("bubblewrap", "namespaces", "landlock")
SMALL = Resources(
    memory=256 * MIB,
    tree_memory=400 * MIB,
    processes=40,
    file_size=16 * MIB,
    disk=48 * MIB,
    temporary=32 * MIB,
)


@dataclass
class World:
    """A user's machine with two skills in it, of which one is not to be trusted."""

    folder: Path
    backend: Backend
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        self.skill = paths.home() / "skills" / "stranger"
        self.skill.mkdir(parents=True)
        self.script = Path(shutil.copy(ATTEMPT, self.skill / "attempt.py"))
        self.data = data_dir("stranger")
        self.campaign, self.assets = self.folder / "campaign", self.folder / "assets"
        for path in (self.campaign, self.assets):
            path.mkdir()

    def around(self, permissions: Permissions, resources: Resources) -> Any:
        return run_confined("stranger", self.skill, permissions, resources=resources, backend=self.backend)

    def command(self, **more: Any) -> Command:
        return Command((sys.executable, "-I", "-S", str(self.script)), cwd=self.skill, **more)

    def request(self, what: str, *arguments: Any, **more: Any) -> InvocationRequest:
        context = {"campaignDir": str(self.campaign), "assetDir": str(self.assets)}
        return InvocationRequest("r", {"try": what, "with": arguments, "in": str(self.data), **more}, context)

    async def attempt(
        self,
        what: str,
        *arguments: Any,
        permissions: Permissions = NOTHING,
        resources: Resources = SMALL,
        command: Command | None = None,
        **limits: Any,
    ) -> Outcome:
        request = self.request(what, *arguments)
        around = self.around(permissions, resources)
        async with around(command or self.command(), request) as confined:
            encoded = encode_request(request_id="r", tool="t", operation="o", input=dict(request.input))
            return await run(confined, encoded, NARRATORIA_V0, limits=Limits(**{"timeout": 20, **limits}))

    async def refuses(self, what: str, *arguments: Any, **more: Any) -> str:
        """Why the tool could not do it; it came to its own end, and said so."""
        outcome = await self.attempt(what, *arguments, **more)
        assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
        assert outcome.output["could"] is False, outcome.output
        return str(outcome.output["why"])

    async def allows(self, what: str, *arguments: Any, **more: Any) -> Any:
        outcome = await self.attempt(what, *arguments, **more)
        assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
        assert outcome.output["could"] is True, outcome.output
        return outcome.output["result"]


@pytest.fixture(params=BOXES)
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    backend: Backend = request.param
    if backend not in probe().backends:
        pytest.skip(f"{backend} does not work here: {probe().reasons[backend]}")
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "narratoria"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return World(tmp_path, backend)


@pytest.fixture
def secret(world: World) -> Path:
    """A file in the user's home."""
    path = world.folder / "user" / ".ssh" / "id"
    path.parent.mkdir(parents=True)
    path.write_text("a secret")
    path.chmod(0o600)
    return path


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """Another program of the same user."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_this_machine_has_a_box_to_test() -> None:
    assert probe().isolates, probe().reasons


# files


@pytest.mark.parametrize("how", ["read", "read_through_a_link", "hard_link", "remove", "write"])
async def test_a_file_in_the_users_home_cannot_be_reached(world: World, secret: Path, how: str) -> None:
    await world.refuses(how, str(secret))
    assert secret.read_text() == "a secret"


@pytest.mark.parametrize("how", ["chmod", "truncate"])
async def test_a_file_in_the_users_home_stays_as_it_is(world: World, secret: Path, how: str) -> None:
    await world.attempt(how, str(secret))
    assert secret.read_text() == "a secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


@pytest.mark.parametrize("how", ["set_times", "watch", "attributes"])
async def test_nobody_learns_or_changes_when_a_file_of_the_user_is_used(
    world: World, secret: Path, how: str
) -> None:
    os.setxattr(secret, "user.note", b"of the user")
    times = secret.stat().st_mtime_ns, secret.stat().st_atime_ns
    outcome = await world.attempt(how, str(secret))
    assert how == "set_times" or outcome.output["could"] is False
    assert (secret.stat().st_mtime_ns, secret.stat().st_atime_ns) == times


async def test_the_users_home_cannot_be_listed(world: World, secret: Path) -> None:
    await world.refuses("listing", str(secret.parents[1]))


async def test_the_data_of_another_skill_cannot_be_read_listed_or_written(world: World) -> None:
    neighbour = data_dir("neighbour")
    (neighbour / "diary").write_text("private")
    await world.refuses("read", str(neighbour / "diary"))
    await world.refuses("listing", str(neighbour))
    await world.refuses("write", str(neighbour / "note"))
    assert [path.name for path in neighbour.iterdir()] == ["diary"]


@pytest.mark.parametrize("name", ["skills.json", "story.db", "skills/neighbour/config.json"])
async def test_what_narratoria_itself_keeps_cannot_be_read(world: World, name: str) -> None:
    path = paths.home() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("private")
    await world.refuses("read", str(path))


async def test_nothing_can_be_written_outside_the_data_folder(world: World) -> None:
    for place in (world.skill, world.campaign, Path("/usr"), Path("/etc"), Path("/"), Path("/dev")):
        await world.refuses("write", str(place / "new"))
        assert not (place / "new").exists()
    await world.attempt("write", str(world.folder / "new"))  # below /tmp, which may be one of its own
    assert not (world.folder / "new").exists()
    await world.refuses("write", str(world.script))
    await world.refuses("write", str(paths.PACKAGE / "app.py"))


async def test_the_tmp_of_everybody_is_not_the_tools(world: World) -> None:
    shared = Path("/tmp") / f"narratoria-test-{world.mark}"
    shared.write_text("of another program")
    try:
        await world.refuses("read", str(shared))
        await world.attempt("write", str(shared))
        assert shared.read_text() == "of another program"
    finally:
        shared.unlink()


@pytest.mark.parametrize("path", ["/etc/shadow", "/root/.bashrc", "/var/log/dpkg.log"])
async def test_what_belongs_to_the_system_cannot_be_read(world: World, path: str) -> None:
    await world.refuses("read", path)


async def test_the_kernels_settings_cannot_be_changed(world: World) -> None:
    await world.refuses("change_the_kernel", "/proc/sys/kernel/core_pattern")


# other processes


async def test_the_runtimes_environment_cannot_be_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    needle = f"SECRET_{world.mark}"
    # what stands in /proc is what a process was started with
    with subprocess.Popen(["sleep", "600"], env={"KEY": needle}) as program:
        monkeypatch.setenv("KEY", needle)
        await world.refuses("read", f"/proc/{program.pid}/environ")
        await world.refuses("environments", needle)
        program.kill()


async def test_the_tool_gets_a_clean_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    found = await world.allows("variables", command=world.command(env={"GIVEN": "1"}))
    assert set(found) <= {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR", "PWD", "GIVEN", "PYTHONUNBUFFERED"),
        *("NARRATORIA_RUNTIME", "NARRATORIA_INVOCATION"),
    }
    assert (found["HOME"], found["GIVEN"]) == (str(world.data), "1")


@pytest.mark.parametrize("number", [0, signal.SIGTERM, signal.SIGKILL])
async def test_another_program_cannot_be_signalled(
    world: World, victim: subprocess.Popen[bytes], number: int
) -> None:
    await world.refuses("send_signal", victim.pid, number)
    assert victim.poll() is None


async def test_the_runtime_cannot_be_signalled(world: World) -> None:
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        await world.refuses("send_signal", os.getpid(), signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not heard


@pytest.mark.parametrize("how", ["F_SETOWN", "F_SETOWN_EX", "ioctl"])
async def test_the_kernel_signals_nobody_in_the_name_of_a_tool(
    world: World, victim: subprocess.Popen[bytes], how: str
) -> None:
    await world.refuses("set_owner", victim.pid, how, signal.SIGKILL)
    await world.refuses("choose_signal", signal.SIGKILL)
    assert victim.poll() is None


async def test_the_memory_that_other_programs_share_cannot_be_attached(world: World) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(0, 4096, 0o1600)
    address = libc.shmat(number, None, 0)
    try:
        ctypes.memmove(address, b"a secret", 8)
        await world.refuses("attach_memory", number)
    finally:
        libc.shmctl(number, 0, None)
        libc.shmdt(ctypes.c_void_p(address))


@pytest.mark.parametrize("how", ["trace", "memory_of", "limit_another", "renice"])
async def test_another_program_cannot_be_looked_into_or_changed(
    world: World, victim: subprocess.Popen[bytes], how: str
) -> None:
    await world.refuses(how, victim.pid)
    assert os.getpriority(os.PRIO_PROCESS, victim.pid) == os.getpriority(os.PRIO_PROCESS, 0)


async def test_no_further_namespace_can_be_made(world: World) -> None:
    await world.refuses("new_namespace")


# the network


@dataclass
class Server:
    """Answers on every kind of socket, and remembers who spoke to it."""

    heard: list[bytes] = field(default_factory=list)

    def stream(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                self.heard.append(connection.recv(100))
                connection.sendall(self.heard[-1])

    def datagrams(self, listener: socket.socket) -> None:
        while True:
            try:
                message, address = listener.recvfrom(512)
            except OSError:
                return
            if not address:
                return  # shut down
            self.heard.append(message)
            listener.sendto(message, address)


@pytest.fixture
def serve() -> Iterator[tuple[Server, Callable[[int, int, Any], Any]]]:
    server = Server()
    listeners: list[socket.socket] = []

    def listen(family: int, kind: int, address: Any) -> Any:
        listener = socket.socket(family, kind)
        listeners.append(listener)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        answer = server.stream if kind == socket.SOCK_STREAM else server.datagrams
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
        return listener.getsockname()

    yield server, listen
    for listener in listeners:
        with contextlib.suppress(OSError):  # a datagram socket has no connection, and wakes up all the same
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


NETWORKS = [
    ("tcp", socket.AF_INET, socket.SOCK_STREAM),
    ("udp", socket.AF_INET, socket.SOCK_DGRAM),
    ("dns", socket.AF_INET, socket.SOCK_DGRAM),
]


@pytest.mark.parametrize(("how", "family", "kind"), NETWORKS)
async def test_the_network_cannot_be_reached(
    world: World, serve: Any, how: str, family: int, kind: int
) -> None:
    server, listen = serve
    host, port = listen(family, kind, ("127.0.0.1", 0))
    await world.refuses(how, host, port)
    assert server.heard == []


@pytest.mark.parametrize(("how", "family", "kind"), NETWORKS)
async def test_the_network_can_be_reached_when_it_was_granted(
    world: World, serve: Any, how: str, family: int, kind: int
) -> None:
    server, listen = serve
    host, port = listen(family, kind, ("127.0.0.1", 0))
    await world.allows(how, host, port, permissions=Permissions.parse(["network"]))
    assert len(server.heard) == 1


@pytest.mark.parametrize("granted", [NOTHING, Permissions.parse(["network"])], ids=["nothing", "network"])
@pytest.mark.parametrize("where", ["home", "data", "campaign", "abstract"])
async def test_the_socket_of_another_program_cannot_be_reached_even_with_the_network(
    world: World, serve: Any, where: str, granted: Permissions
) -> None:
    server, listen = serve
    name = f"narratoria-{world.mark[:8]}"
    folders = {"home": world.folder, "data": world.data, "campaign": world.campaign}
    if where == "abstract":
        target = f"@{name}"
        listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}")
    else:
        target = os.path.relpath(folders[where] / name, world.data)
        folder = os.open(folders[where], os.O_RDONLY)  # a socket's path must be short
        listen(socket.AF_UNIX, socket.SOCK_STREAM, f"/proc/self/fd/{folder}/{name}")
        os.close(folder)
    await world.refuses("unix", target, permissions=granted)
    assert server.heard == []


@pytest.mark.parametrize("granted", [NOTHING, Permissions.parse(["network"])], ids=["nothing", "network"])
@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW", "SOCK_STREAM", "SOCK_SEQPACKET"])
@pytest.mark.parametrize("where", ["data", "abstract"])
async def test_a_socket_of_a_pair_reaches_nobody_but_its_other_end(
    world: World, serve: Any, where: str, kind: str, granted: Permissions
) -> None:
    server, listen = serve
    name = f"narratoria-{world.mark[:8]}"
    listened = socket.SOCK_DGRAM if kind == "SOCK_RAW" else getattr(socket, kind)
    if where == "abstract":
        listen(socket.AF_UNIX, listened, f"\0{name}")
    else:
        folder = os.open(world.data, os.O_RDONLY)  # a socket's path must be short
        listen(socket.AF_UNIX, listened, f"/proc/self/fd/{folder}/{name}")
        os.close(folder)
    await world.refuses("datagram", f"@{name}" if where == "abstract" else name, kind, permissions=granted)
    assert server.heard == []


async def test_the_kernels_other_way_to_sockets_is_closed(world: World) -> None:
    await world.refuses("io_uring")


# the end


def bearers(mark: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def await_none(mark: str) -> list[int]:
    until = time.monotonic() + 30
    while (left := bearers(mark)) and time.monotonic() < until:
        time.sleep(0.01)  # the kernel takes its time to bury what was killed
    return left


async def test_nothing_outlives_its_invocation(world: World) -> None:
    await world.allows("outlive", world.mark)
    assert await_none(world.mark) == []


async def test_nothing_outlives_a_tool_that_is_stopped(world: World) -> None:
    outcome = await world.attempt("outlive_and_stay", world.mark, timeout=3, kill_grace=0.2)
    assert outcome.failure
    assert outcome.failure.code == "TIMEOUT"
    assert outcome.events == 1
    assert await_none(world.mark) == []


RUNTIME = """
import asyncio, json, sys
from pathlib import Path
from narratoria.protocol.command import Command
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.sandbox import confine
script, data, mark, backend = sys.argv[1:]
async def main():
    command = Command((sys.executable, "-I", "-S", script), cwd=Path(script).parent)
    with confine(command, home=Path(data), read_only=[Path(script).parent], backend=backend) as confined:
        request = json.dumps({"input": {"try": "outlive_and_stay", "with": [mark], "in": data}}).encode()
        await run(confined, request, NARRATORIA_V0, on_events=lambda _: print("running", flush=True))
asyncio.run(main())
"""


def test_nothing_outlives_the_runtime_when_it_is_killed(world: World) -> None:
    arguments = [str(world.script), str(world.data), world.mark, world.backend]
    with subprocess.Popen([sys.executable, "-c", RUNTIME, *arguments], stdout=subprocess.PIPE) as runtime:
        assert runtime.stdout
        assert runtime.stdout.readline() == b"running\n"
        assert len(bearers(world.mark)) >= 2  # the runtime's own command line, and the daemon's
        runtime.kill()
    assert await_none(world.mark) == []


# too much


async def test_memory_ends_before_the_machines_does(world: World) -> None:
    assert "MemoryError" in await world.refuses("much_memory", 1024)


@pytest.mark.parametrize("how", ["memfd", "sysv", "anonymous", "zero"])
async def test_memory_that_no_process_has_mapped_is_refused_or_counted(world: World, how: str) -> None:
    outcome = await world.attempt("hide_memory", how, 1024)
    if outcome.failure and find_group_support().limits("memory"):  # the kernel counts it, and ends who has it
        assert outcome.failure.code == "RUNNER_GUARDRAIL"
        assert "memory" in outcome.failure.message
    else:
        assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
        assert outcome.output["could"] is False, outcome.output


async def test_memory_in_many_processes_is_counted_together(world: World) -> None:
    outcome = await world.attempt("memory_in_many", 6, 100)
    assert outcome.failure
    assert outcome.failure.code == "RUNNER_GUARDRAIL"
    assert "memory" in outcome.failure.message


async def test_processes_without_end_are_stopped(world: World) -> None:
    outcome = await world.attempt("many_processes", 2000)
    if (
        outcome.failure
    ):  # noticed by the runner, where the kernel does not count: for root, and without namespaces
        assert outcome.failure.code == "RUNNER_GUARDRAIL"
        assert "processes" in outcome.failure.message
    else:
        assert "BlockingIOError" in outcome.output["why"]
    assert bearers(str(world.script)) == []


async def test_a_file_has_an_end(world: World) -> None:
    assert "File too large" in await world.refuses("large_file", "large", 64)
    assert (world.data / "large").stat().st_size <= 16 * MIB


@pytest.mark.parametrize("where", ["data", "assets"])
async def test_the_disk_cannot_be_filled_with_files(world: World, where: str) -> None:
    folder = world.data if where == "data" else world.assets
    outcome = await world.attempt("many_files", str(folder), 100, 8)
    assert outcome.failure
    assert outcome.failure.code == "RUNNER_GUARDRAIL"
    # the runner looks at what lies there and at what was written; on a busy machine either is seen first
    assert any(words in outcome.failure.message for words in ("remove some of it", "in one run"))
    shutil.rmtree(folder)


@pytest.mark.parametrize("how", ["deep", "unreadable", "unlinked", "in_flight"])
async def test_the_disk_cannot_be_filled_with_files_that_hide(world: World, how: str) -> None:
    outcome = await world.attempt("hide_files", how, 40, 8)
    assert outcome.failure, outcome.output
    assert outcome.failure.code == "RUNNER_GUARDRAIL"
    subprocess.run(["chmod", "-R", "u+rwx", world.data], check=True)
    shutil.rmtree(world.data)


async def test_the_temporary_folder_cannot_be_filled(world: World) -> None:
    outcome = await world.attempt("temporary_files", 100, 8)
    if outcome.failure:
        assert outcome.failure.code == "RUNNER_GUARDRAIL"
    else:
        assert "No space left" in outcome.output["why"]


# the story goes on


ESCAPES = {
    "reads": ("read", "/etc/shadow"),
    "calls": ("tcp", "127.0.0.1", 9),
    "kills": ("send_signal", os.getpid(), 15),
    "grows": ("much_memory", 1024),
    "fills": ("large_file", "large", 64),
    "breeds": ("many_processes", 2000),
}


async def test_a_plan_goes_on_without_the_skills_that_try(world: World) -> None:
    def resolve(path: str) -> Runnable:
        limits = Limits(timeout=20, kill_grace=0.5)
        tool = v0_tool("attempt", world.command(), limits=limits, skill=path)
        return replace(tool, around=world.around(NOTHING, SMALL))

    def call(name: str, what: str, *arguments: Any) -> ToolInvocation:
        return ToolInvocation(
            tool_id=name,
            tool_path=name,
            input={"try": what, "with": list(arguments), "in": str(world.data)},
            required=name == "honest",
            retry_policy=RetryPolicy(max_retries=0),
        )

    tools = [call("honest", "variables"), *(call(name, *what) for name, what in ESCAPES.items())]
    plan = Plan(request_id=str(uuid.uuid4()), tools=tuple(tools), parallel=True, metadata=PlanMetadata())
    result = await execute(
        prepare_plan(plan, resolve), SessionState({}), bounds=Bounds(timeout=60, concurrency=2)
    )
    assert result.success
    assert result.of("honest").state == "success"
    for name in ESCAPES:
        tool = result.of(name)
        assert tool.state == "failed" or (tool.output and tool.output["could"] is False), tool


# for those who are not root


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(
    os.geteuid() != 0 or AS_AN_ORDINARY_USER in os.environ,
    reason="these tests ran as an ordinary user already",
)
def test_all_of_this_holds_for_an_ordinary_user() -> None:
    """Root is spared by some of the kernel's limits and may do what others may not: once more without it."""
    python = _python_for_everybody()
    if python is None:
        pytest.skip("no Python on this machine that an ordinary user could start")
    python_path = [str(paths.PACKAGE.parent), *(path for path in sys.path if path.endswith("site-packages"))]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(python_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/nonexistent",
        AS_AN_ORDINARY_USER: "1",
    }
    pytest_ = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
    done = subprocess.run(
        [*NOBODY, *pytest_],
        env=environment,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout


def _python_for_everybody() -> str | None:
    # asked from inside: setpriv still has root's powers at the moment in which it starts a program
    code = "import os, sys; sys.exit(not os.access(sys.argv[1], os.X_OK) or sys.argv[2] != sys.version[:4])"
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        asked = subprocess.run(
            [*NOBODY, python, "-c", code, python, sys.version[:4]], capture_output=True, check=False
        )
        if asked.returncode == 0:
            return python
    return None


def test_every_box_is_tried() -> None:
    assert set(BOXES) | {"seatbelt", "job", "plain"} == set(get_args(Backend))


def do_without_a_box(folder: Path, what: str, *arguments: Any) -> dict[str, Any]:
    request = {"input": {"try": what, "with": arguments, "in": str(folder)}}
    done = subprocess.run(
        [sys.executable, "-I", "-S", ATTEMPT],
        input=json.dumps(request).encode(),
        capture_output=True,
        check=True,
    )
    output: dict[str, Any] = json.loads(done.stdout)["output"]
    return output


def test_the_attempts_can_succeed_where_there_is_no_box(tmp_path: Path) -> None:
    """Otherwise a refusal would say nothing."""
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    os.setxattr(secret, "user.note", b"of the user")
    assert do_without_a_box(tmp_path, "read", str(secret)) == {"could": True, "result": "a secret"}
    assert do_without_a_box(tmp_path, "attributes", str(secret))["result"] == "of the user"
    assert do_without_a_box(tmp_path, "watch", str(secret))["could"]
    assert do_without_a_box(tmp_path, "set_times", str(secret))["could"]
    assert secret.stat().st_mtime == 1
    for how in ("memfd", "sysv", "anonymous", "zero"):
        assert do_without_a_box(tmp_path, "hide_memory", how, 32)["could"], how


@pytest.mark.parametrize("how", ["F_SETOWN", "F_SETOWN_EX", "ioctl"])
def test_the_kernel_signals_anybody_where_there_is_no_box(
    tmp_path: Path, victim: subprocess.Popen[bytes], how: str
) -> None:
    assert do_without_a_box(tmp_path, "set_owner", victim.pid, how, signal.SIGTERM)["could"]
    assert victim.wait(timeout=30) == -signal.SIGTERM


@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW"])
def test_a_socket_of_a_pair_reaches_anybody_where_there_is_no_box(tmp_path: Path, kind: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        name = f"narratoria-{uuid.uuid4().hex[:8]}"
        listener.bind(f"\0{name}")
        listener.settimeout(30)
        assert do_without_a_box(tmp_path, "datagram", f"@{name}", kind)["could"]
        assert listener.recv(100) == b"hello"


@pytest.mark.parametrize("abi", [1, 3, 5])
async def test_what_an_older_landlock_does_not_see_is_refused_in_another_way(
    world: World, secret: Path, victim: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, abi: int
) -> None:
    if world.backend != "landlock":
        pytest.skip("the others do not build on it")
    monkeypatch.setattr("narratoria.skills.sandbox.backends.landlock_abi", lambda: abi)
    backends._filter.cache_clear()
    try:
        await world.refuses("send_signal", victim.pid, signal.SIGTERM)
        await world.refuses("send_signal", os.getpid(), 0)
        await world.refuses("set_owner", victim.pid, "F_SETOWN", signal.SIGTERM)
        await world.refuses("datagram", f"@{world.mark}", "SOCK_DGRAM")
        await world.refuses("read", str(secret))
        await world.refuses("tcp", "127.0.0.1", 9)
        await world.attempt("truncate", str(secret))
        await world.allows("outlive", world.mark)
    finally:
        backends._filter.cache_clear()
    assert victim.poll() is None
    assert secret.read_text() == "a secret"
    assert await_none(world.mark) == []
