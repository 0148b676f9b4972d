"""Turns wait in order with fair shares, and more than can wait are told when to come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from narratoria.errors import NarratoriaException
from narratoria.web.turn_queue import QueueBounds, QueueFull, TurnQueue


def queue(at_once: int = 1, waiting: int = 100, each: int = 5) -> TurnQueue:
    return TurnQueue(QueueBounds(at_once=at_once, waiting=waiting, each=each))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_as_many_turns_run_as_there_are_places_and_the_next_waits_for_one() -> None:
    turns = queue(at_once=2)
    first, _ = await turns.enter("a"), await turns.enter("b")
    third = asyncio.create_task(turns.enter("c"))
    await settle()
    assert (turns.running, turns.waiting, third.done()) == (2, 1, False)
    first()
    await third
    assert (turns.running, turns.waiting) == (2, 0)


async def test_whoever_has_the_fewest_turns_running_comes_first() -> None:
    turns = queue(at_once=2)
    leave = [await turns.enter("greedy"), await turns.enter("greedy")]
    order: list[str] = []

    async def wait(account: str) -> None:
        place = await turns.enter(account)
        order.append(account)
        leave.append(place)

    waiting = [asyncio.create_task(wait(account)) for account in ("greedy", "greedy", "greedy", "ada", "ben")]
    await settle()
    for _ in range(5):
        leave.pop(0)()
        await settle()
    await asyncio.gather(*waiting)
    assert order == ["ada", "ben", "greedy", "greedy", "greedy"]


async def test_a_full_queue_says_when_to_come_back() -> None:
    turns = queue(waiting=2)
    await turns.enter("a")
    waiting = [asyncio.create_task(turns.enter(account)) for account in "bc"]
    await settle()
    with pytest.raises(QueueFull) as full:
        await turns.enter("d")
    assert full.value.retry_after >= 1
    assert turns.refused == 1
    for one in waiting:
        one.cancel()


async def test_one_account_fills_no_queue_alone() -> None:
    turns = queue(each=2)
    leave = await turns.enter("a")
    waiting = [asyncio.create_task(turns.enter("a")) for _ in range(2)]
    await settle()
    with pytest.raises(QueueFull):
        await turns.enter("a")
    other = asyncio.create_task(turns.enter("b"))
    await settle()
    assert turns.waiting == 3
    for one in (*waiting, other):
        one.cancel()
    leave()


async def test_who_gives_up_waiting_leaves_the_queue_and_a_place_that_was_just_given_goes_on() -> None:
    turns = queue()
    leave = await turns.enter("a")
    given_up, second = (asyncio.create_task(turns.enter(account)) for account in "bc")
    await settle()
    given_up.cancel()
    await settle()
    assert turns.waiting == 1
    leave()  # gives the place to the second, which is cancelled before it can take it
    second.cancel()
    await settle()
    assert (turns.running, turns.waiting) == (0, 0)


async def test_a_place_is_given_back_once() -> None:
    turns = queue()
    leave = await turns.enter("a")
    leave()
    leave()
    assert turns.running == 0
    await turns.enter("b")
    assert turns.running == 1


async def test_the_wait_grows_with_how_long_turns_take() -> None:
    now = [0.0]
    clock: Callable[[], float] = lambda: now[0]  # noqa: E731
    turns = TurnQueue(QueueBounds(at_once=1, waiting=0), clock)
    for _ in range(100):
        leave = await turns.enter("a")
        now[0] += 7.0
        leave()
    await turns.enter("a")
    with pytest.raises(QueueFull) as full:
        await turns.enter("b")
    assert full.value.retry_after == 7


async def test_a_queue_that_is_closed_refuses_those_who_wait_and_those_who_come() -> None:
    turns = queue()
    await turns.enter("a")
    waiting = asyncio.create_task(turns.enter("b"))
    await settle()
    turns.close()
    with pytest.raises(QueueFull):
        await waiting
    with pytest.raises(QueueFull):
        await turns.enter("c")


def test_bounds_are_read_from_the_environment_and_what_is_no_number_is_named() -> None:
    read = QueueBounds.read({"NARRATORIA_TURNS_AT_ONCE": "3", "NARRATORIA_TURNS_WAITING": "7"})
    assert (read.slots, read.waiting) == (3, 7)
    assert QueueBounds.read({}).slots >= 2
    with pytest.raises(NarratoriaException, match="NARRATORIA_TURNS_AT_ONCE is a whole number"):
        QueueBounds.read({"NARRATORIA_TURNS_AT_ONCE": "many"})
