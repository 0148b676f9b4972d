"""The settings page: forms made from schemas, secrets, models, privacy; all of it there after a restart."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import Server

SCHEMA = {
    "type": "object",
    "title": "Weather",
    "required": ["city"],
    "properties": {
        "city": {"type": "string", "title": "City", "minLength": 2, "x-category": "Where"},
        "note": {"type": "string", "title": "Note", "format": "textarea", "x-category": "Where"},
        "days": {"type": "integer", "title": "Days", "minimum": 1, "maximum": 9, "default": 3},
        "warmth": {
            "type": "number",
            "title": "Warmth",
            "minimum": 0,
            "maximum": 1,
            "description": "How warm.",
        },
        "rain": {"type": "boolean", "title": "Rain", "default": True},
        "unit": {"type": "string", "title": "Unit", "enum": ["celsius", "kelvin"], "default": "celsius"},
        "places": {"type": "array", "title": "Places", "items": {"type": "string"}},
        "apiKey": {"type": "string", "title": "Key", "x-sensitive": True, "x-category": "Access"},
    },
}
MANIFEST = {
    "name": "weather",
    "displayName": "Weather",
    "version": "1.0.0",
    "description": "Looks at the sky.",
    "scripts": [{"name": "look", "path": "look.py"}],
    "permissions": ["network"],
}
SECRET = "sk-very-secret-1234"


def install_weather(server: Server) -> None:
    folder = server.home / "skills/weather"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts/look.py").write_text("print()")
    (folder / "config-schema.json").write_text(json.dumps(SCHEMA))
    (folder / "skill.json").write_text(json.dumps(MANIFEST))


def open_skills(reader: Reader) -> None:
    reader.go("/settings")
    click(reader.page.get_by_role("tab", name="Skills"))


def opened(page: Page, name: str) -> Locator:
    click(page.locator("article.skill").get_by_role("button", name=name).first)
    form = page.get_by_role("form", name=f"Settings of {name}")
    expect(form).to_be_visible()
    return form


def saved(form: Locator) -> None:
    click(form.get_by_role("button", name="Save"))
    expect(form.get_by_text("Saved.")).to_be_visible()


@pytest.mark.slow
def test_every_kind_of_setting_is_filled_in_refused_in_place_saved_and_there_after_a_restart(
    open_reader: Callable[..., Reader], own_server: Server
) -> None:
    install_weather(own_server)
    reader = open_reader(own_server)
    reader.unlock()
    page = reader.page
    open_skills(reader)
    card = page.locator("article.skill", has_text="Looks at the sky.")
    expect(card).to_contain_text("needs settings")
    form = opened(page, "Weather")
    expect(form.get_by_role("group", name="Access")).to_be_visible()

    # what is wrong is said beside its field, and the first wrong field has the focus
    form.get_by_label("City").fill("X")
    form.get_by_label("Days").fill("12")
    form.get_by_label("Warmth").fill("tepid")
    click(form.get_by_role("button", name="Save"))
    for name in ("City", "Days", "Warmth"):
        expect(form.get_by_label(name)).to_have_attribute("aria-invalid", "true")
    expect(form.locator("#weather-days-wrong")).to_contain_text("9")
    expect(form.get_by_label("City")).to_be_focused()
    assert not (own_server.home / "skills/weather/config.json").exists()

    form.get_by_label("City").fill("Callow")
    form.get_by_label("Note").fill("Two lines\nof a note")
    form.get_by_label("Days").fill("5")
    form.get_by_label("Warmth").fill("0.25")
    click(form.get_by_role("switch", name="Rain"))
    form.get_by_label("Unit").select_option("kelvin")
    for place in ("pass", "inn"):
        form.get_by_label("Places", exact=True).fill(place)
        page.keyboard.press("Enter")
    click(form.get_by_role("button", name="Remove pass"))
    key = form.get_by_label("Key", exact=True)
    expect(key).to_have_attribute("type", "password")
    key.fill(SECRET)
    click(form.get_by_role("button", name="Show Key"))
    expect(key).to_have_attribute("type", "text")
    saved(form)
    expect(form.locator("[aria-invalid=true]")).to_have_count(0)
    expect(card).to_contain_text("healthy")

    own_server.stop(signal.SIGTERM)
    own_server.start()
    open_skills(reader)
    form = opened(page, "Weather")
    expect(form.get_by_label("City")).to_have_value("Callow")
    expect(form.get_by_label("Note")).to_have_value("Two lines\nof a note")
    expect(form.get_by_label("Days")).to_have_value("5")
    expect(form.get_by_label("Warmth")).to_have_value("0.25")
    expect(form.get_by_role("switch", name="Rain")).not_to_be_checked()
    expect(form.get_by_label("Unit")).to_have_value("kelvin")
    expect(form.locator(".entries li")).to_have_text(["inn"])
    key = form.get_by_label("Key", exact=True)
    expect(key).to_have_attribute("type", "password")
    assert SECRET not in page.content()
    assert SECRET not in key.input_value()
    assert json.loads((own_server.home / "skills/weather/config.json").read_text())["apiKey"] == SECRET

    # a permission is asked for and given by name; a skill is switched off and stays off
    grant = card.get_by_role("switch", name="Allow Weather: network")
    expect(grant).not_to_be_checked()
    click(grant)
    expect(grant).to_be_checked()
    click(card.get_by_role("switch", name="Weather on"))
    expect(card.get_by_text("off", exact=True)).to_be_visible()
    open_skills(reader)
    expect(card.get_by_role("switch", name="Weather on")).not_to_be_checked()


def test_every_bundled_skill_is_listed_with_a_switch_and_a_form_from_its_schema(reader: Reader) -> None:
    open_skills(reader)
    page = reader.page
    for skill in reader.server.get("/api/skills"):
        title = skill.get("displayName") or skill["name"]
        card = page.locator("article.skill").filter(has=page.get_by_role("switch", name=f"{title} on"))
        expect(card).to_contain_text(skill["description"][:40])
        if not (fields := skill["config"]["schema"]["fields"]):
            continue
        click(card.get_by_role("button", name=title).first)
        form = card.get_by_role("form")
        for field in fields:
            expect(
                form.locator(f"[id='{skill['name']}-{field['key']}']").or_(
                    form.locator(f"[id='{skill['name']}-{field['key']}-entry']")
                )
            ).to_have_count(1)


def test_the_storyteller_is_set_up_in_a_few_steps(reader: Reader) -> None:
    open_skills(reader)
    form = opened(reader.page, "Storyteller")
    form.get_by_label("Style").select_option("terse")
    form.get_by_label("Temperature").fill("99")
    click(form.get_by_role("button", name="Save"))
    expect(form.locator("#storyteller-temperature-wrong")).to_be_visible()
    click(form.get_by_role("button", name="Discard"))
    expect(form.get_by_label("Style")).to_have_value("vivid")
    form.get_by_label("Style").select_option("terse")
    saved(form)
    form.get_by_label("Style").select_option("vivid")
    saved(form)


def test_models_are_listed_and_a_file_that_is_none_is_refused(reader: Reader) -> None:
    reader.go("/settings")
    page = reader.page
    click(page.get_by_role("tab", name="Models"))
    for model in reader.server.get("/api/models")["models"]:
        expect(page.get_by_text(model["title"], exact=True)).to_be_visible()
    page.get_by_label("Add a model file of your own").fill("/nowhere/name.gguf")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("/nowhere/name.gguf")
    click(page.get_by_role("button", name="Download").first)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("over the network")
    click(dialog.get_by_role("button", name="Not now"))
    expect(dialog).to_have_count(0)


def test_the_privacy_report_names_the_box_what_ran_and_where_things_are(reader: Reader) -> None:
    reader.begin()
    reader.go("/settings")
    page = reader.page
    click(page.get_by_role("tab", name="Privacy"))
    expect(page.get_by_text("may use the network")).to_be_visible()
    expect(page.get_by_text("What ran")).to_be_visible()
    expect(page.get_by_text(str(reader.server.home)).first).to_be_visible()


def test_the_profile_for_children_is_set_with_the_pointer_and_binds_the_story(reader: Reader) -> None:
    page = reader.page
    story = reader.begin()
    panel = reader.open_panel("Settings")
    switch = panel.get_by_role("switch", name="For children")
    expect(switch).to_have_attribute("aria-checked", "false")
    with page.expect_response("**/api/settings"):
        click(switch)
    expect(switch).to_have_attribute("aria-checked", "true")
    expect(panel.get_by_label("Violence")).to_be_disabled()
    expect(panel.get_by_label("Violence")).to_have_value("none")
    assert reader.server.get("/api/settings")["contentLimits"]["children"] is True
    reader.go(f"/story/{story}")
    reader.expect_scene(1)
    page.get_by_label("Something else, in your own words").fill("I stab Hob Tarrant")
    page.keyboard.press("Enter")
    scene = reader.expect_scene(2)
    expect(scene).to_contain_text("Content limits are set for children.")
    expect(scene.locator(".dice")).to_have_count(0)
    reader.go("/new/harrowmere")
    expect(page.get_by_role("note")).to_contain_text("rated Teen")


def test_damaged_settings_are_said_and_another_setting_lifts_no_limit(reader: Reader) -> None:
    file = reader.server.home / "settings.json"
    file.write_text("{torn")
    page = reader.page
    reader.go("/settings")
    expect(page.locator(".toast").first).to_contain_text("the strictest content limits hold")
    children = page.get_by_role("switch", name="For children")
    expect(children).to_be_checked()
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        click(page.get_by_role("radiogroup", name="Font").locator("label").nth(1))
    expect(page.get_by_text("settings.json is damaged")).to_have_count(0)
    kept = json.loads(file.read_text())
    assert (kept["font"], kept["contentLimits"]["children"]) == ("sans", True)


def test_a_page_with_old_settings_lifts_no_limit_that_was_set_elsewhere(reader: Reader) -> None:
    page = reader.page
    reader.go("/settings")
    expect(page.get_by_role("switch", name="For children")).not_to_be_checked()
    reader.server.ask("PUT", "/api/settings", {"contentLimits": {"children": True}})
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        click(page.get_by_role("radiogroup", name="Font").locator("label").nth(1))
    assert reader.server.get("/api/settings")["font"] == "sans"
    assert reader.server.get("/api/settings")["contentLimits"]["children"] is True
