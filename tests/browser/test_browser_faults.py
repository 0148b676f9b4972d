"""What a reader sees when something fails: a word about it, a way on, and never a blank page or a trace."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import Server

from narratoria.planning.replan import TEMPLATES

CRASH = "import sys\nraise SystemExit(3)\n"
# the storyteller as it is, but for what it does while a file lies in its data folder: it waits after each
# sentence, or shows things that no page knows
NARRATE = """
import importlib.util, sys, time
from pathlib import Path
from narratoria import sdk

spec = importlib.util.spec_from_file_location("narrate", Path(__file__).with_name("_narrate.py"))
narrate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(narrate)
emit = sdk.ui_event


def main(request):
    folder = Path(request.data_dir)

    def patiently(event, payload):
        emit(event, payload)
        while event == "narration_delta" and (folder / "hold").exists():
            time.sleep(0.02)

    sdk.ui_event = patiently
    if (folder / "show").exists():
        made = Path(request.context["assetDir"]) / "map.xyz"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text("here be dragons")
        picture = made.with_name("lamp.svg")
        picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
        about = {"title": "The old map"}
        sdk.asset("map", made, kind="map", media_type="application/x-treasure-map", metadata=about)
        about = {"title": "A lamp"}
        sdk.asset("lamp", picture, kind="illustration", media_type="image/svg+xml", metadata=about)
        emit("weather_changed", {"wind": "north", "force": 9})
        sdk.log("the wind turns", "warn")
    return narrate.main(request)


if __name__ == "__main__":
    sdk.run(main)
"""
pytestmark = pytest.mark.slow


def script(server: Server, skill: str, name: str) -> Path:
    return server.home.parent / "bundled" / skill / "scripts" / name


def storyteller_minds(server: Server) -> Path:
    """The folder whose files the storyteller minds from now on."""
    narrate = script(server, "storyteller", "narrate.py")
    if not (whole := narrate.with_name("_narrate.py")).exists():
        whole.write_bytes(narrate.read_bytes())
        narrate.write_text(NARRATE)
    folder = server.home / "skills/storyteller/data"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def reader(open_reader: Callable[..., Reader], own_server: Server) -> Reader:
    reader = open_reader(own_server)
    reader.unlock()
    return reader


def test_a_failing_skill_is_named_in_place_with_three_ways_on(reader: Reader) -> None:
    reader.begin()
    choices = script(reader.server, "player-choices", "generate-choices.py")
    whole = choices.read_text()
    choices.write_text(CRASH)
    reader.choose(0)
    page = reader.page
    notice = page.get_by_role("complementary", name="Notice about Player Choices")
    expect(notice).to_contain_text("The player-choices skill failed. The story continues without it...")
    assert reader.words(2)
    click(notice.get_by_role("button", name="Show Details"))
    expect(notice.locator("pre")).to_contain_text("exit")
    assert "Traceback" not in page.content()
    click(notice.get_by_role("button", name="Hide Details"))
    expect(notice.locator("pre")).to_have_count(0)
    panel = reader.open_panel("Plan and tools")
    expect(panel.locator("details", has_text="Player Choices").first).to_contain_text("failed")
    click(page.get_by_role("link", name="Close Behind the scenes"))
    choices.write_text(whole)
    click(notice.get_by_role("button", name="Retry"))
    expect(notice).to_have_count(0)
    reader.expect_scene(2)
    expect(page.locator("article.scene")).to_have_count(2)
    choices.write_text(CRASH)
    reader.choose(0)
    click(notice.get_by_role("button", name="Dismiss"))
    expect(notice).to_have_count(0)
    reader.expect_scene(3)
    choices.write_text(whole)


def test_a_failing_planner_ends_in_plain_prose_and_a_dialog_with_three_ways_on(reader: Reader) -> None:
    story = reader.begin()
    no_plan = reader.server.home.parent / "bundled/no-plan"
    no_plan.touch()
    page = reader.page
    click(reader.choices.first)
    dialog = page.get_by_role("dialog", name="Story Generation Issue")
    expect(dialog).to_contain_text("The narrator couldn't complete your request after 5 attempts.")
    click(dialog.get_by_role("button", name="View Error Details"))
    expect(dialog.locator(".errors li")).to_have_count(5)
    assert "Traceback" not in dialog.inner_text()
    click(dialog.get_by_role("button", name="Continue with Fallback"))
    expect(dialog).to_have_count(0)
    reader.expect_scene(2)
    assert any(reader.words(2).startswith(template.partition("{")[0][:20]) for template in TEMPLATES)
    no_plan.unlink()
    reader.choose(0)
    no_plan.touch()
    click(reader.choices.first)
    expect(dialog).to_be_visible()
    no_plan.unlink()
    click(dialog.get_by_role("button", name="Restart Session"))
    page.wait_for_url(lambda address: "/story/" in address and story not in address)
    reader.expect_scene(1)
    assert reader.server.get(f"/api/stories/{story}")["story"]["scenes"] == 4


def test_a_server_killed_in_mid_stream_and_started_again_costs_no_word(reader: Reader) -> None:
    minds = storyteller_minds(reader.server)
    story = reader.begin()
    page = reader.page
    (minds / "hold").touch()
    click(reader.choices.first)
    half = page.locator("article.scene[aria-labelledby=scene-2] .prose p").first
    expect(half).not_to_be_empty()
    begun = " ".join(half.inner_text().split())
    reader.server.stop(signal.SIGKILL)
    expect(page.get_by_text("Connection lost.")).to_be_visible()
    assert " ".join(half.inner_text().split()) == begun, "what was read stays before the eyes"
    expect(reader.choices).to_have_count(0)
    (minds / "hold").unlink()
    reader.server.start()
    reader.expect_scene(2)
    expect(page.get_by_text("Connection lost.")).to_have_count(0)
    told = reader.server.wait(story, 2)["scenes"][1]["paragraphs"]
    assert reader.words(2) == "\n\n".join(told).replace("*", "")
    assert reader.words(2).startswith(begun)
    expect(page.locator("article.scene")).to_have_count(2)
    reader.choose(0)


def test_a_scene_that_is_being_told_can_be_stopped(reader: Reader) -> None:
    minds = storyteller_minds(reader.server)
    reader.begin()
    (minds / "hold").touch()
    page = reader.page
    click(reader.choices.first)
    expect(page.locator("article.scene")).to_have_count(2)
    click(page.get_by_role("button", name="Stop"))
    expect(page.locator("article.scene")).to_have_count(1)
    (minds / "hold").unlink()
    reader.expect_scene(1)
    reader.choose(0)


def test_what_the_page_does_not_know_is_shown_quietly_with_its_name(reader: Reader) -> None:
    minds = storyteller_minds(reader.server)
    reader.begin()
    (minds / "show").touch()
    reader.choose(0)
    page = reader.page
    unknown = page.locator("details", has_text="weather_changed")
    expect(unknown).to_be_visible()
    click(unknown.locator("summary"))
    expect(unknown.locator("pre")).to_contain_text('"force": 9')
    panel = reader.open_panel("Plan and tools")
    click(panel.locator("details", has_text="Storyteller").first.locator("summary"))
    expect(panel.get_by_role("log", name="Log of Storyteller")).to_contain_text("the wind turns")
    panel = reader.open_panel("Pictures and sounds")
    expect(panel.locator("li", has_text="The old map")).to_contain_text("application/x-treasure-map")
    expect(panel.locator("li", has_text="The old map")).to_contain_text("cannot be shown here")
    picture = panel.locator("li", has_text="A lamp").locator("img")
    page.wait_for_function(
        "picture => picture.complete && picture.naturalWidth > 0", arg=picture.element_handle()
    )
    click(panel.get_by_role("button", name="Show A lamp larger"))
    expect(page.get_by_role("dialog", name="A lamp")).to_contain_text("image/svg+xml")
    page.keyboard.press("Escape")
    click(panel.get_by_role("group", name="Show").get_by_role("button", name="Image"))
    expect(panel.locator("li", has_text="The old map")).to_have_count(0)
