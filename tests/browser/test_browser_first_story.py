"""From the first start to the tenth scene, by mouse and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader

SCENES = 10


@pytest.mark.slow
def test_from_the_first_start_to_the_tenth_scene(reader: Reader) -> None:
    page = reader.page
    assert "token" not in page.url
    click(page.get_by_role("button", name="Begin The Quiet Under Harrowmere"))
    click(page.get_by_text("Step by step"))
    click(page.get_by_role("button", name="Begin the story"))
    expect(page.get_by_text("The others need something to call you.")).to_be_visible()
    page.get_by_label("Your name").fill("Nell Harrow")
    for question in ("Where you come from", "What you do", "What lies behind you"):
        click(page.get_by_role("group", name=question).locator("label").last)
    expect(page.get_by_role("complementary", name="Your character")).to_contain_text("Nell Harrow")
    click(page.get_by_role("button", name="Begin the story"))
    page.wait_for_url("**/story/**")
    reader.expect_scene(1)
    told: list[str] = [reader.words(1)]
    for number in range(1, SCENES):
        offered = reader.choices.all_text_contents()
        assert 3 <= len(offered) <= 4
        wanted = (number * 2) % len(offered)
        chosen = reader.choices.nth(wanted).locator(".text").inner_text()
        if number % 2:
            page.keyboard.press(str(wanted + 1))
        else:
            click(reader.choices.nth(wanted))
        scene = reader.expect_scene(number + 1)
        expect(scene.get_by_role("heading")).to_contain_text(chosen)
        told.append(reader.words(number + 1))
    assert all(told)
    assert len(set(told)) == SCENES
    page.reload()
    reader.expect_scene(SCENES)
    assert [reader.words(number) for number in range(1, SCENES + 1)] == told
    reader.go("/")
    expect(page.get_by_role("link", name="Continue")).to_be_visible()
    expect(page.get_by_text("10 scenes").first).to_be_visible()
