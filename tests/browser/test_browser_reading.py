"""What a reader does with an open story."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader, choices, expect_scene, words
from tests.web.serving import Server

TALE = {
    "manifest.json": json.dumps(
        {
            "title": "A Short Tale",
            "version": "1.0.0",
            "author": "Ada",
            "description": "One evening by a fire.",
        }
    ),
    "world/setting.md": "# The hut\n\nA hut, a fire, a kettle.\n",
    "plot/premise.md": "The fire is low. The kettle hums.\n",
    "plot/beats.json": json.dumps(
        {
            "beats": [
                {
                    "id": "sleep",
                    "title": "Sleep",
                    "description": "You bank the fire and lie down.",
                    "conditions": {"player_choice": "Go to sleep"},
                    "priority": "critical",
                    "consequences": ["the fire is banked"],
                    "ending": "morning",
                }
            ]
        }
    ),
    "plot/endings/morning.md": "# Morning\n\nSnow has fallen.\n\n## Epilogue\n\n- Spring comes.\n",
}


@pytest.fixture(scope="module")
def short_tale(server: Server) -> str:
    """A campaign that ends after one choice."""
    for name, text in TALE.items():
        path = server.home / "campaigns/short-tale" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return "short-tale"


def test_a_story_is_begun_and_gone_on_with_by_the_keyboard_alone(reader: Reader, short_tale: str) -> None:
    page = reader.page
    page.reload()  # to find the new campaign
    expect(page.get_by_text("A Short Tale").first).to_be_visible()

    def tab_to(name: str) -> None:
        for _ in range(200):  # round the page more than once: a list that comes later begins it anew
            page.keyboard.press("Tab")
            if name in page.evaluate("document.activeElement.textContent + document.activeElement.ariaLabel"):
                return
        pytest.fail(f"the Tab key does not come to “{name}”")

    expect(page.get_by_role("button", name="Begin A Short Tale")).to_be_visible()
    tab_to("Begin A Short Tale")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your name")).to_be_visible()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "name":
            break
    page.keyboard.type("Edda")
    page.keyboard.press("Enter")
    reader.expect_scene(1)
    page.keyboard.press("2")
    reader.expect_scene(2)
    focused = "document.activeElement.id"
    page.wait_for_function(f"() => {focused} === 'scene-2'")
    tab_to("Look around")
    page.keyboard.press("Enter")
    reader.expect_scene(3)
    page.wait_for_function(f"() => {focused} === 'scene-3'")
    tab_to("More about scene 3")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="More about scene 3")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Retell")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("article.scene")).to_have_count(2)


def test_two_tabs_on_one_story_show_the_same_and_one_choice_counts(reader: Reader) -> None:
    story = reader.begin()
    other = reader.another_tab(f"/story/{story}")
    expect_scene(other, 1)
    reader.choose(0)
    expect_scene(other, 2)
    assert words(other, 2) == reader.words(2)
    click(choices(other).nth(1))
    expect_scene(other, 3)
    reader.expect_scene(3)
    assert words(other, 3) == reader.words(3)
    click(other.get_by_role("button", name="More", exact=True))
    click(other.get_by_role("menuitem", name="Undo"))
    expect(other.locator("article.scene")).to_have_count(2)
    expect(reader.page.locator("article.scene")).to_have_count(2)
    reader.choose(0)
    expect_scene(other, 3)
    assert words(other, 3) == reader.words(3)


def test_the_last_turn_is_told_anew_and_taken_back(reader: Reader) -> None:
    reader.begin()
    reader.choose(1)
    chosen = reader.expect_scene(2).get_by_role("heading").inner_text()
    page = reader.page
    click(page.get_by_role("button", name="More", exact=True))
    with page.expect_response("**/retry"):
        click(page.get_by_role("menuitem", name="Retell"))
    assert reader.expect_scene(2).get_by_role("heading").inner_text() == chosen
    expect(page.locator("article.scene")).to_have_count(2)
    click(page.get_by_role("button", name="More", exact=True))
    click(page.get_by_role("menuitem", name="Undo"))
    expect(page.locator("article.scene")).to_have_count(1)
    reader.expect_scene(1)


def test_every_choice_and_every_remembered_line_says_why(reader: Reader, short_tale: str) -> None:
    reader.begin(short_tale)
    page = reader.page
    click(page.get_by_role("button", name="Why is “Look around” offered?"))
    dialog = page.get_by_role("dialog", name="Why?")
    expect(dialog).to_contain_text("Look around")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    click(reader.choices.filter(has_text="Go to sleep"))
    reader.expect_scene(2)
    click(page.get_by_role("button", name="Why does the story say this?").first)
    expect(dialog).to_contain_text("Written by the author.")
    click(dialog.get_by_role("button", name="Show the record").first)
    expect(dialog.locator("dl")).to_contain_text("Sleep")


def test_a_story_ends_and_can_be_gone_back_to(reader: Reader, short_tale: str) -> None:
    story = reader.begin(short_tale)
    click(reader.choices.filter(has_text="Go to sleep"))
    reader.expect_scene(2)
    page = reader.page
    expect(page.get_by_role("region", name="The end")).to_contain_text("Morning")
    click(reader.choices.filter(has_text="Look back on how it went"))
    reader.expect_scene(3)
    expect(page.get_by_role("region", name="The end")).to_be_visible()
    click(reader.choices.filter(has_text="Go back and choose otherwise"))
    page.wait_for_url(f"**/library/{story}#scenes")
    expect(page.get_by_role("heading", name="How it went")).to_be_in_viewport()
    newest = page.locator(".timeline > li").first
    expect(newest).to_be_in_viewport()
    expect(newest.get_by_role("button", name="Branch after scene 3")).to_be_visible()
    unfinished = reader.begin()
    reader.go("/")  # where the one that is to be gone on with comes first
    expect(page.locator(f".latest a[href='/story/{unfinished}']").first).to_be_visible()
    ended = page.locator(".tile").filter(has=page.locator(f"a[href='/story/{story}']"))
    expect(ended.first).to_contain_text("Ended")


def test_the_player_may_speak_in_own_words_where_that_is_wanted(reader: Reader) -> None:
    story = reader.begin()
    page = reader.page
    line = page.get_by_label("Something else, in your own words")

    def turn_own_words(state: str) -> None:
        panel = reader.open_panel("Settings")
        with page.expect_response("**/api/settings"):
            click(panel.get_by_role("switch", name="Your own words"))
        assert reader.server.get("/api/settings")["freeText"] is (state == "on")
        reader.go(f"/story/{story}")
        reader.expect_scene(1)

    expect(line).to_be_visible()
    turn_own_words("off")
    expect(line).to_have_count(0)
    turn_own_words("on")
    line.fill("I look under the counter")
    page.keyboard.press("Enter")
    scene = reader.expect_scene(2)
    expect(scene.get_by_role("heading")).to_contain_text("I look under the counter")


def test_text_size_spacing_and_theme_are_the_reader_s_and_are_kept(reader: Reader) -> None:
    reader.begin()
    page = reader.page
    prose = page.locator(".prose").first
    size = "node => parseFloat(getComputedStyle(node).fontSize)"
    line = "node => parseFloat(getComputedStyle(node).lineHeight)"
    before = prose.evaluate(size), prose.evaluate(line)
    click(page.get_by_role("button", name="Text and sound"))
    page.get_by_label("Text size").fill("1.4")
    page.get_by_label("Line spacing").fill("1.3")
    with page.expect_response("**/api/settings"):
        click(page.get_by_text("Paper", exact=True))
    after = prose.evaluate(size), prose.evaluate(line)
    assert after[0] == pytest.approx(before[0] * 1.4, rel=0.01)
    assert after[1] > before[1] * 1.4
    page.reload()
    reader.expect_scene(1)
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert (prose.evaluate(size), prose.evaluate(line)) == after


def test_music_plays_under_a_scene_and_can_be_silenced(reader: Reader) -> None:
    reader.begin("harrowmere")
    page = reader.page
    heard = [address for address in reader.asked if "/music/" in address]
    assert heard
    assert all("/api/campaigns/harrowmere/files/music/" in address for address in heard)
    music = page.get_by_role("button", name="Music", exact=True)
    expect(music).to_have_attribute("aria-pressed", "true")
    with page.expect_response("**/api/settings"):
        click(music)
    expect(music).to_have_attribute("aria-pressed", "false")
    before = len([address for address in reader.asked if "/music/" in address])
    page.reload()
    reader.expect_scene(1)
    expect(music).to_have_attribute("aria-pressed", "false")
    assert len([address for address in reader.asked if "/music/" in address]) == before


def test_nothing_moves_for_whoever_wants_it_still(open_reader: Callable[..., Reader], server: Server) -> None:
    longest = """() => Math.max(...document.getAnimations().map(
        animation => Number(animation.effect.getComputedTiming().endTime)), 0)"""
    still = open_reader(server, reduced_motion="reduce")
    still.unlock()
    still.begin()
    click(still.choices.first)
    still.page.wait_for_selector("#scene-2", state="attached")
    assert still.page.evaluate(longest) <= 5
    expect(still.page.locator("html")).to_have_attribute("data-motion", "reduced")
    lively = open_reader(server, reduced_motion="no-preference")
    lively.unlock()
    lively.begin()
    expect(lively.page.locator("html")).to_have_attribute("data-motion", "full")


def test_a_page_left_in_mid_scene_is_found_again_as_it_is(reader: Reader) -> None:
    """The scene is told on while nobody looks."""
    story = reader.begin()
    click(reader.choices.first)
    reader.go("/")
    expect(reader.page.get_by_role("link", name="Continue")).to_be_visible()
    reader.go(f"/story/{story}")
    reader.expect_scene(2)
    told = reader.server.wait(story, 2)["scenes"][1]["paragraphs"]
    assert reader.words(2).replace("*", "") == "\n\n".join(told).replace("*", "")


def test_a_page_without_the_key_says_where_to_find_it(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    stranger = open_reader(server)
    stranger.go("/")
    expect(stranger.page.get_by_role("alert")).to_contain_text("address")
