"""The rail: how a scene was made, what it made, and what the story knows."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import Server


def test_the_tools_panel_shows_a_turn_while_it_is_told_and_afterwards(reader: Reader) -> None:
    story = reader.begin()
    panel = reader.open_panel("Plan and tools")
    reader.choose(0)
    page = reader.page
    graph = panel.get_by_role("group", name="The plan as a graph")
    expect(graph.get_by_role("button", name="Storyteller narrate: success")).to_be_visible()
    expect(panel.locator("details", has_text="Storyteller").first).to_contain_text("success")
    click(panel.get_by_role("tab", name="Past turns"))
    action = reader.server.get(f"/api/stories/{story}")["scenes"][1]["action"]
    click(panel.get_by_role("button", name=action))
    expect(panel.get_by_role("heading", name=f"Scene 2: {action}")).to_be_visible()
    expect(panel.locator("details", has_text="Player Choices").first).to_be_visible()
    click(panel.get_by_role("tab", name="Console"))
    expect(panel.get_by_text("No problems.")).to_be_visible()
    click(page.get_by_role("link", name="Close Behind the scenes"))
    expect(panel).to_have_count(0)


def test_the_state_is_a_tree_that_can_be_searched_and_shows_what_changed(reader: Reader) -> None:
    reader.begin("harrowmere", persona={"name": "Nell Harrow", "stats": {"craft": 4}, "traits": ["patient"]})
    panel = reader.open_panel("State")
    tree = panel.locator(".tree")
    expect(tree.get_by_text("“Nell Harrow”")).to_be_visible()
    click(tree.get_by_role("button", name="persona"))
    expect(tree.get_by_text("“Nell Harrow”")).to_have_count(0)
    panel.get_by_label("Search the state").fill("patient")
    expect(tree.get_by_text("“patient”")).to_be_visible()
    expect(tree.get_by_text("craft")).to_have_count(0)
    panel.get_by_label("Search the state").fill("")
    click(panel.get_by_role("tab", name="JSON"))
    expect(panel.get_by_label("The state as JSON")).to_contain_text('"name": "Nell Harrow"')


def test_what_a_choice_changed_is_marked_and_remembered_and_moves_opinions(reader: Reader) -> None:
    story = reader.begin("harrowmere")
    for _ in range(8):  # until somebody thinks something of the player
        reader.choose(0)
        if reader.server.get(f"/api/stories/{story}/standings")["people"]:
            break
    person = reader.server.get(f"/api/stories/{story}/standings")["people"][0]
    expect(reader.page.locator("details.unknown")).to_have_count(
        0
    )  # portraits and opinions have their places
    changed = [
        pointer
        for pointer in reader.server.get(f"/api/stories/{story}/state")["changed"]
        if not pointer.startswith("/playerChoices/")
    ]
    panel = reader.open_panel("State")
    expect(panel.get_by_text("playerChoices")).to_have_count(0)  # what a skill keeps for itself
    expect(panel.get_by_text(f"{len(changed)} changed")).to_be_visible()
    expect(panel.locator(".changed").first).to_be_visible()
    panel = reader.open_panel("Journal")
    click(panel.get_by_role("tab", name="Memory"))
    remembered = reader.server.get(f"/api/stories/{story}/memories")
    expect(panel.get_by_text(remembered[0]["summary"])).to_be_visible()
    panel.get_by_label("Search what the story remembers").fill(person["name"])
    expect(panel.get_by_role("meter", name="Relevance").first).to_be_visible()


def test_a_story_without_assets_says_what_will_be_there(reader: Reader) -> None:
    reader.begin()
    panel = reader.open_panel("Pictures and sounds")
    expect(panel).to_contain_text("appear here")


def test_on_a_phone_whoever_comes_back_from_a_panel_is_where_they_were(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    reader = open_reader(server, viewport={"width": 390, "height": 844})
    reader.unlock()
    reader.begin()
    for _ in range(2):
        reader.choose(0)
    reader.page.mouse.wheel(0, -60)  # the bars step aside while one reads on
    expect(reader.page.locator(".shell.hidden")).to_have_count(0)
    where = reader.page.evaluate("scrollY")
    assert where > 200
    panel = reader.open_panel("People")
    assert reader.page.evaluate("scrollY") == 0
    click(panel.get_by_role("link", name="Close People"))
    reader.page.wait_for_function("where => Math.abs(scrollY - where) < 3", arg=where)


def test_whoever_is_there_and_not_named_is_shown_after_the_words(reader: Reader) -> None:
    reader.begin("harrowmere")  # where a boy is on the landing, and only the woman at the oar speaks
    scene = reader.expect_scene(1)
    expect(scene.locator(".others").get_by_alt_text("Portrait of Pike")).to_be_visible()
    expect(scene.locator(".margin")).to_have_count(0)
