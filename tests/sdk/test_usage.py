"""What hosted models used is summed by day and by story, and a budget ends with it."""

from __future__ import annotations

from pathlib import Path

from narratoria.sdk.usage import Budget, Usage, UsageLog, read_budget, spent, today


def test_answers_are_summed_by_day_and_by_story(tmp_path: Path) -> None:
    log = UsageLog(str(tmp_path))
    log.add(story="a", provider="openai", model="m", usage=Usage(1, 100, 40, 20, 0.5))
    log.add(story="b", provider="openai", model="m", usage=Usage(1, 10, 0, 5, 0.25, 1))
    assert log.of_day() == Usage(2, 110, 40, 25, 0.75, 1)
    assert log.of_story("a") == Usage(1, 100, 40, 20, 0.5)
    assert log.of_day("1999-01-01") == Usage()


def test_a_line_that_a_crash_tore_is_passed_over(tmp_path: Path) -> None:
    log = UsageLog(str(tmp_path))
    log.add(story="a", provider="openai", model="m", usage=Usage(1, 100))
    with (tmp_path / f"usage-{today()[:7]}.jsonl").open("ab") as file:
        file.write(b'{"day": "')
    assert log.of_day() == Usage(1, 100)


def test_a_budget_is_used_up_by_tokens_or_money_for_a_day_or_a_story(tmp_path: Path) -> None:
    log = UsageLog(str(tmp_path))
    log.add(story="a", provider="openai", model="m", usage=Usage(1, 90, 0, 10, 0.5))
    assert spent(Budget(), log, "a") == ""
    assert spent(Budget(tokens=101), log, "a") == ""
    assert spent(Budget(tokens=100), log, "b") == "today's budget of 100 tokens is used up"
    assert spent(Budget(tokens=100, per="story"), log, "b") == ""
    assert spent(Budget(money=0.5, per="story"), log, "a") == "this story's budget of 0.5 is used up"


def test_a_budget_is_read_from_the_settings() -> None:
    assert read_budget({}) == Budget(0, 0.0, "day")
    assert read_budget({"budgetTokens": 5, "budgetMoney": 1, "budgetPer": "story"}) == Budget(5, 1.0, "story")


def test_without_a_folder_nothing_is_kept() -> None:
    log = UsageLog("")
    log.add(story="a", provider="openai", model="m", usage=Usage(1, 1))
    assert log.of_day() == Usage()
