"""The numbered events of a story: none is missed, and a file that is torn or full costs only events."""

from __future__ import annotations

import asyncio
from pathlib import Path

from narratoria.engine.events import Notice, StoryEvent
from narratoria.engine.persistence.event_log import EventLog


def notice(text: str) -> Notice:
    return Notice(kind="store", message=text)


def texts(events: tuple[StoryEvent, ...]) -> list[str]:
    return [event.message for event in events if isinstance(event, Notice)]


def test_events_are_numbered_and_those_after_a_number_can_be_read_again() -> None:
    log = EventLog()
    first, second = log.append(notice("one"), turn=3), log.append(notice("two"))

    assert (first.id, first.turn, second.id, log.last) == (1, 3, 2, 2)
    assert first.at.endswith("Z")
    assert texts(log.since(1)) == ["two"]


def test_a_restart_goes_on_with_the_numbers_and_without_a_torn_line(tmp_path: Path) -> None:
    file = tmp_path / "story" / "events.jsonl"
    log = EventLog(file)
    log.append(notice("one"))
    log.append(notice("two"))
    log.close()
    file.write_bytes(file.read_bytes()[:-5])

    again = EventLog(file)
    assert texts(again.since(0)) == ["one"]
    assert again.append(notice("three")).id == 2
    again.close()
    assert texts(EventLog(file).since(0)) == ["one", "three"]


def test_a_file_holds_the_latest_events_only(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    log = EventLog(file, max_events=5)
    for number in range(40):
        log.append(notice(str(number)))
    log.close()

    lines = [line for line in file.read_bytes().split(b"\n") if line]
    assert len(lines) <= 10
    assert texts(EventLog(file).since(0))[-5:] == ["35", "36", "37", "38", "39"]
    assert texts(log.since(38)) == ["38", "39"]


def test_a_log_that_cannot_be_written_goes_on_in_memory(tmp_path: Path) -> None:
    (tmp_path / "story").write_text("a file where the folder should be")
    log = EventLog(tmp_path / "story" / "events.jsonl")

    assert log.append(notice("one")).id == 1
    assert texts(log.since(0)) == ["one"]


async def test_a_subscriber_gets_what_there_is_and_what_comes_until_the_log_is_closed() -> None:
    log = EventLog()
    log.append(notice("before"))
    seen: list[str] = []

    async def read() -> None:
        async for event in log.subscribe():
            seen.extend(texts((event,)))

    reader = asyncio.create_task(read())
    await asyncio.sleep(0)
    assert log.has_listeners
    log.append(notice("meanwhile"))
    log.close()
    await asyncio.wait_for(reader, 5)
    assert seen == ["before", "meanwhile"]
    assert not log.has_listeners


def test_a_listener_is_called_with_earlier_events_and_each_new_one_until_it_leaves() -> None:
    log = EventLog()
    log.append(notice("one"))
    log.append(notice("two"))
    seen: list[str] = []
    with log.listening(lambda event: seen.extend(texts((event,))), after=1):
        log.append(notice("three"))
    log.append(notice("four"))

    assert seen == ["two", "three"]
