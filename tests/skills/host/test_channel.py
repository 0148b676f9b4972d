"""The channel itself: what it refuses, how it streams and cancels, and that nobody can choke it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.skills.host.dispatch import ChannelLimits
from narratoria.skills.host.services import Caller, Host

SMALL = ChannelLimits(
    message_bytes=2000, result_bytes=1500, in_flight=2, requests=50, total_bytes=100_000, call_seconds=30
)


class Patience:
    """An embedder that waits until it is told to go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.waiting = self.most = self.begun = 0

    async def embed(self, caller: Caller, texts):
        self.begun += 1
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            await self.go_on.wait()
        finally:
            self.waiting -= 1
        return {"model": "patience", "dimensions": 1, "vectors": [[1.0] for _ in texts]}

    async def until(self, waiting: int) -> None:
        async with asyncio.timeout(60):
            while self.waiting != waiting:
                await asyncio.sleep(0.001)


def request(number: int, method: str = "host.info", **params) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


# lines that are no requests

BAD_LINES = {
    "garbage": (b"\xff\x00garbage\n", -32700),
    "half an object": (b'{"jsonrpc": "2.0", "id": 1\n', -32700),
    "NaN": (b'{"jsonrpc": "2.0", "id": NaN, "method": "host.info"}\n', -32700),
    "the same key twice": (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "host.info"}\n', -32700),
    "deep": (b"[" * 1000 + b"\n", -32700),
    "a number": (b"7\n", -32600),
    "a batch": (b"[" + request(1).strip() + b"]\n", -32600),
    "an empty batch": (b"[]\n", -32600),
    "an old version": (b'{"id": 1, "method": "host.info"}\n', -32600),
    "no method": (b'{"jsonrpc": "2.0", "id": 1}\n', -32600),
    "a null id": (b'{"jsonrpc": "2.0", "id": null, "method": "host.info"}\n', -32600),
    "a fraction as id": (b'{"jsonrpc": "2.0", "id": 1.5, "method": "host.info"}\n', -32600),
    "true as id": (b'{"jsonrpc": "2.0", "id": true, "method": "host.info"}\n', -32600),
    "a huge id": (b'{"jsonrpc": "2.0", "id": "' + b"x" * 200 + b'", "method": "host.info"}\n', -32600),
    "params by position": (b'{"jsonrpc": "2.0", "id": 1, "method": "host.info", "params": []}\n', -32602),
}


@pytest.mark.parametrize("name", BAD_LINES)
async def test_a_bad_line_is_answered_with_its_code_and_the_channel_goes_on(open_line, name):
    line_, code = BAD_LINES[name]
    async with open_line() as line:
        answer = await line.say(line_)
        assert answer["error"]["code"] == code
        line.last = 100
        await line.ask("host.info")


async def test_blank_lines_and_foreign_line_ends_are_passed_over(open_line):
    async with open_line() as line:
        answer = await line.say(b"\n \r\n" + request(3).rstrip() + b"\r\n")
    assert answer["id"] == 3


async def test_a_last_line_without_an_end_counts(open_line):
    async with open_line() as line:
        await line.send(request(3).rstrip())
        line.connection.shutdown(socket.SHUT_WR)
        answer = await line.read()
        assert (answer["id"], await line.read()) == (3, None)


async def test_a_request_without_an_id_is_carried_out_and_not_answered(open_line):
    record = {"dataType": "n", "record": {"a": 1}, "identifier": "x"}
    async with open_line() as line:
        for method in ("store.store", "no.such"):
            await line.send(
                json.dumps({"jsonrpc": "2.0", "method": method, "params": record}).encode() + b"\n"
            )
        found = {"records": []}
        while not found["records"]:
            found = await line.ask("store.exactMatch")


async def test_an_id_in_use_is_refused_and_the_first_request_answered(open_line):
    patience = Patience()
    async with open_line(host=Host(embedder=patience)) as line:
        await line.send(request(7, "embed.embed", texts=["a"]))
        refused = await line.say(request(7))
        assert (refused["id"], refused["error"]["code"]) == (None, -32600)
        assert "7" in refused["error"]["message"]
        patience.go_on.set()
        assert (await line.read())["id"] == 7


# streaming and cancelling


async def test_a_text_arrives_in_pieces_before_its_answer(open_line):
    async with open_line() as line:
        number = await line.request("model.generate", prompt="the bell tolls", stream=True)
        messages = [await line.read() for _ in range(4)]
    assert [message["params"] for message in messages[:3]] == [
        {"id": number, "text": f"{word} "} for word in ("the", "bell", "tolls")
    ]
    assert messages[3]["result"] == {"text": "the bell tolls ", "finish": "stop"}


async def test_other_requests_are_answered_while_a_text_is_generated(open_line):
    async with open_line() as line:
        await line.request("model.generate", prompt="round and round", system="for ever", stream=True)
        number = await line.request("host.info")
        while (message := await line.read()).get("id") != number:
            assert message["method"] == "model.delta"


async def test_a_cancelled_text_stops_at_once_and_is_answered_as_cancelled(open_line, host):
    async with open_line() as line:
        number = await line.request(
            "model.generate", prompt="round and round", system="for ever", stream=True
        )
        await line.read()
        cancel = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}}
        await line.send(json.dumps(cancel).encode() + b"\n")
        while "error" not in (message := await line.read()):
            pass
        assert (message["id"], message["error"]["code"]) == (number, -32800)
        assert host.model.ended == host.model.begun == 1
        await line.ask("host.info")


@pytest.mark.parametrize("wanted", [1, "1", 99, None, [], {}, True])
async def test_cancelling_what_is_not_there_changes_nothing(open_line, wanted):
    async with open_line() as line:
        await line.ask("host.info")
        cancel = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": wanted}}
        await line.send(json.dumps(cancel).encode() + b"\n")
        await line.ask("host.info")


async def test_every_request_is_answered_once_whenever_it_is_cancelled(open_line):
    """The cancellation meets the request in every state: waiting, working, answered."""
    async with open_line(limits=ChannelLimits(in_flight=4)) as line:
        sent = b""
        for number in range(1, 201):
            cancel = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number - number % 5}}
            sent += request(number, "model.generate", prompt="word " * (number % 7 + 1))
            sent += json.dumps(cancel).encode() + b"\n"
        sending = asyncio.create_task(line.send(sent))
        answers = [await line.read() for _ in range(200)]
        await sending
    assert sorted(answer["id"] for answer in answers) == list(range(1, 201))
    assert any("result" in answer for answer in answers)
    assert any("error" in answer for answer in answers)


async def test_a_call_that_takes_too_long_is_stopped(open_line):
    patience = Patience()
    limits = ChannelLimits(call_seconds=0.05)
    async with open_line(host=Host(embedder=patience), limits=limits) as line:
        error = await line.refused("embed.embed", texts=["a"])
        assert (error["code"], error["data"]["reason"]) == (-32006, "TIMEOUT")
        assert patience.waiting == 0


async def test_a_search_that_is_late_is_refused_while_the_skill_can_still_go_on(open_line):
    async with open_line(host=Host(embedder=Patience()), run_seconds=2) as line:
        clock = asyncio.get_running_loop().time
        begun = clock()
        error = await line.refused("embed.embed", texts=["a"])
        assert error["data"]["reason"] == "TIMEOUT"
        assert clock() - begun < 2


async def test_a_search_that_is_late_goes_on_while_the_scene_waits_for_others(open_line):
    patience = Patience()
    asked = []

    def has_more_time() -> bool:
        asked.append(patience.waiting)
        if len(asked) > 2:
            patience.go_on.set()
        return True

    async with open_line(host=Host(embedder=patience), run_seconds=0.1, has_more_time=has_more_time) as line:
        answer = await line.ask("embed.embed", texts=["a"])
    assert answer["model"] == "patience"
    assert len(asked) > 2


# limits


async def test_a_line_that_is_too_long_is_refused_and_the_next_one_read(open_line):
    async with open_line(limits=SMALL) as line:
        await line.send(b'{"jsonrpc": "2.0", "id": 1, "x": "' + b"x" * 50_000 + b'"}\n')
        answer = await line.read()
        assert (answer["id"], answer["error"]["code"]) == (None, -32003)
        await line.ask("embed.embed", texts=["a"])


async def test_no_more_requests_are_worked_on_than_allowed(open_line):
    patience = Patience()
    async with open_line(host=Host(embedder=patience), limits=SMALL) as line:
        await line.send(b"".join(request(number, "embed.embed", texts=["a"]) for number in range(1, 21)))
        await patience.until(waiting=2)
        patience.go_on.set()
        answers = [await line.read() for _ in range(20)]
    assert sorted(answer["id"] for answer in answers) == list(range(1, 21))
    assert patience.most == 2


async def test_an_invocation_that_asks_too_often_is_hung_up_on_with_the_reason(open_line):
    async with open_line(limits=SMALL) as line:
        for _ in range(50):
            await line.refused("store.nothing")
        answer = await line.say(request(51))
        assert (answer["id"], answer["error"]["code"]) == (None, -32003)
        assert "50 lines" in answer["error"]["message"]
        assert await line.read() is None


async def test_an_invocation_that_sends_too_much_is_hung_up_on(open_line):
    async with open_line(limits=SMALL) as line:
        sending = asyncio.create_task(line.send(b"x" * 10_000_000))
        answer = await line.read()
        assert "100000 bytes" in answer["error"]["message"]
        assert await line.read() is None
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            await sending


async def test_an_answer_holds_as_many_records_as_fit(open_line):
    async with open_line(limits=SMALL) as line:
        for n in range(8):
            await line.ask("store.store", dataType="n", record={"n": n, "text": "x" * 400})
        seen = []
        while len(seen) < 8:
            page = await line.ask("store.exactMatch", offset=len(seen))
            assert 1 <= len(page["records"]) < 4
            seen += [one["record"]["n"] for one in page["records"]]
            assert page["more"] == (len(seen) < 8)
    assert seen == list(range(8))


async def test_a_result_that_is_too_large_is_refused(open_line):
    async with open_line(limits=SMALL) as line:
        error = await line.refused("embed.embed", texts=["a"] * 64)
    assert (error["code"], error["data"]["reason"]) == (-32003, "LIMIT")


async def test_what_is_wrong_with_a_huge_message_is_not_searched_for(open_line):
    async with open_line() as line:
        error = await line.refused("embed.embed", texts=list(range(100_000)))
    assert error["code"] == -32602
    assert "told for messages of at most" in error["data"]["advice"]


# hanging up


async def test_hanging_up_ends_what_is_being_worked_on(open_line):
    patience = Patience()
    async with open_line(host=Host(embedder=patience)) as line:
        await line.request("embed.embed", texts=["a"])
        await patience.until(waiting=1)
        line.connection.close()
        await patience.until(waiting=0)


async def test_who_has_said_all_is_still_answered(open_line):
    patience = Patience()
    async with open_line(host=Host(embedder=patience)) as line:
        number = await line.request("embed.embed", texts=["a"])
        line.connection.shutdown(socket.SHUT_WR)
        await patience.until(waiting=1)
        patience.go_on.set()
        assert (await line.read())["id"] == number
        assert await line.read() is None


async def test_the_end_of_the_invocation_ends_everything(open_line):
    patience = Patience()
    async with open_line(host=Host(embedder=patience)) as line:
        for _ in range(5):
            await line.request("embed.embed", texts=["a"])
        await patience.until(waiting=5)
    assert patience.waiting == 0


async def test_a_cancelled_invocation_leaves_nothing_even_if_cancelled_twice(open_line):
    patience = Patience()
    asked = asyncio.Event()

    async def invoke() -> None:
        async with open_line(host=Host(embedder=patience)) as line:
            await line.request("embed.embed", texts=["a"])
            await patience.until(waiting=1)
            asked.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(invoke())
    await asked.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert patience.waiting == 0


# nobody can choke it


async def test_who_never_reads_answers_is_not_read_any_more(open_line, host):
    """Answers fill the socket, then nothing is taken in; memory stays where it is, and others go on."""
    async with open_line() as line, open_line(alone=False) as other:
        tracemalloc.start()
        flood = b"".join(request(number, "embed.embed", texts=["a"] * 64) for number in range(1, 9001))
        sending = asyncio.create_task(line.send(flood))
        sent_all, _ = await asyncio.wait({sending}, timeout=0.5)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        await other.ask("store.store", dataType="n", record={"a": 1})
        assert not sent_all, "the whole flood was taken in"
        assert most - len(flood) < 20_000_000
        sending.cancel()


async def test_a_stuck_reader_does_not_keep_the_model(open_line, host):
    async with open_line(limits=ChannelLimits(call_seconds=0.2)) as line:
        await line.request("model.generate", prompt="word " * 100, system="for ever", stream=True)
        async with asyncio.timeout(60):
            while host.model.ended == 0:
                await asyncio.sleep(0.01)
        assert await line.read() is not None


async def test_the_event_loop_is_never_held_up_by_hostile_lines(open_line):
    """While large lines are being read and refused, a heart beats on."""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.005)
            beats += 1

    hostile = b"[" + b"1," * 400_000 + b"NaN]\n"  # takes half a second to find out what is wrong
    async with open_line() as line:
        heart = asyncio.create_task(beat())
        answer = await line.say(hostile)
        assert answer["error"]["code"] == -32700
        heart.cancel()
        await asyncio.gather(heart, return_exceptions=True)
    assert beats >= 5


CHUNKS = st.lists(
    st.binary(max_size=60)
    | st.sampled_from(
        [
            b"\n",
            b"{}",
            request(1),
            request(1, "store.store", dataType="n", record={"a": 1}),
            b'{"jsonrpc":"2.0","id":2,"method":"model.generate","params":{"prompt":"a b","stream":true}}\n',
            b'{"jsonrpc":"2.0","method":"$/cancel","params":{"id":2}}\n',
            b'{"jsonrpc":"2.0","id":3,"method":"',
            b"\xef\xbb\xbf",
            b"[" * 200,
            b'"\\ud800"\n',
            b"1" * 5000 + b"\n",
        ]
    ),
    max_size=12,
)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chunks=CHUNKS, polite=st.booleans())
def test_no_bytes_break_the_channel(open_line, caplog, chunks, polite):
    async def converse() -> None:
        async with open_line(limits=SMALL) as line:
            await line.send(b"".join(chunks))
            if polite:
                line.connection.shutdown(socket.SHUT_WR)
                while await line.read() is not None:
                    pass

    caplog.clear()
    asyncio.run(converse())
    assert caplog.records == []
    assert threading.active_count() < 30
