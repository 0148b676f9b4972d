"""The channel over a loopback port, for systems on which no socket can be inherited: one token, good once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket

import pytest

from narratoria.skills.host.transport import FD, PORT, TOKEN

BAD_HELLOS = {
    "another token": b'{"jsonrpc":"2.0","id":0,"method":"host.hello","params":{"token":"guess"}}\n',
    "a list": b'{"jsonrpc":"2.0","id":0,"method":"host.hello","params":{"token":["guess"]}}\n',
    "an empty token": b'{"jsonrpc":"2.0","id":0,"method":"host.hello","params":{"token":""}}\n',
    "no token": b'{"jsonrpc":"2.0","id":0,"method":"host.hello"}\n',
    "a request at once": b'{"jsonrpc":"2.0","id":0,"method":"host.info"}\n',
    "a web page": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "garbage": b"\xff\xfe\x00\n",
    "a long line": b"x" * 10_000,
}


@contextlib.asynccontextmanager
async def port(open_command, **options):
    async with open_command(transport="port", alone=False, **options) as command:
        yield command


async def test_the_token_opens_the_channel(open_command, connect):
    async with port(open_command) as command:
        assert command.pass_fds == ()
        assert command.env[FD] == ""
        line = await connect(command)
        assert await line.ask("host.hello", token=command.env[TOKEN]) == {"accepted": True}
        await line.ask("store.store", dataType="n", record={"a": 1})
        assert len((await line.ask("store.exactMatch"))["records"]) == 1


async def test_requests_may_follow_the_token_without_waiting(open_command, connect):
    async with port(open_command) as command:
        line = await connect(command)
        await line.request("host.hello", token=command.env[TOKEN])
        await line.request("host.info")
        assert [(await line.read())["id"] for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("name", BAD_HELLOS)
async def test_a_stranger_is_refused_with_the_reason_and_the_skill_let_in(open_command, connect, name):
    async with port(open_command) as command:
        stranger = await connect(command)
        answer = await stranger.say(BAD_HELLOS[name])
        assert (answer["error"]["code"], answer["error"]["data"]["reason"]) == (-32007, "BAD_TOKEN")
        assert TOKEN in answer["error"]["data"]["advice"]
        assert command.env[TOKEN] not in str(answer)
        assert await stranger.read() is None

        line = await connect(command)
        await line.ask("host.hello", token=command.env[TOKEN])
        await line.ask("host.info")


async def test_a_token_that_was_used_opens_nothing(open_command, connect):
    async with port(open_command) as command:
        first = await connect(command)
        await first.ask("host.hello", token=command.env[TOKEN])
        await first.ask("host.info")
        with pytest.raises(ConnectionRefusedError):
            await connect(command)
        await first.ask("host.info")


async def test_of_many_who_show_the_token_at_once_one_is_let_in(open_command, connect):
    async with port(open_command) as command:
        lines = [await connect(command) for _ in range(8)]

        async def use(line) -> bool:
            with contextlib.suppress(OSError):
                await line.request("host.hello", token=command.env[TOKEN])
                await line.request("host.info")
                while (message := await line.read()) is not None:
                    if message.get("id") == 2:
                        return "result" in message
            return False

        assert sorted(await asyncio.gather(*(use(line) for line in lines))) == [False] * 7 + [True]


async def test_strangers_who_say_nothing_do_not_keep_the_skill_out(open_command, connect):
    async with port(open_command) as command:
        silent = [await connect(command) for _ in range(10)]
        line = await connect(command)
        await line.ask("host.hello", token=command.env[TOKEN])
        assert await silent[0].read() is None


async def test_every_invocation_has_a_token_of_its_own(open_command, connect):
    async with port(open_command) as one, port(open_command, playthrough="p2") as two:
        assert len(one.env[TOKEN]) >= 40
        line = await connect(two)
        error = await line.refused("host.hello", token=one.env[TOKEN])
        assert error["data"]["reason"] == "BAD_TOKEN"


async def test_only_this_machine_can_connect(open_command):
    async with port(open_command) as command:
        with socket.socket() as outside:
            outside.settimeout(5)
            with pytest.raises(OSError, match=r"refused|unreachable|No route|timed out"):
                outside.connect(("127.0.0.2", int(command.env[PORT])))


@pytest.mark.parametrize("how", ["never used", "refused", "greeted", "in the middle of a line"])
async def test_nothing_is_left_when_the_invocation_ends(open_command, connect, how):
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208
    tasks = asyncio.all_tasks()
    async with port(open_command) as command:
        if how != "never used":
            line = await connect(command)
            token = "guess" if how == "refused" else command.env[TOKEN]
            if how == "in the middle of a line":
                await line.send(b'{"jsonrpc":')
            else:
                await line.request("host.hello", token=token)
                await line.read()
    if how != "never used":
        assert await line.read() is None
        line.connection.close()
    assert asyncio.all_tasks() == tasks
    assert set(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
