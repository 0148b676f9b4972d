"""What a reader looks up and does in an evening: journal, people, map, tellings, branches, keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect
from tests.browser.pointer import Press, click, find_point
from tests.browser.reader import Reader


def open_part(reader: Reader, press: Press, name: str) -> Locator:
    reader.page.mouse.wheel(0, -200)  # on a phone the bars step aside while one reads on
    press(reader.page.get_by_role("navigation", name="Parts of the story").get_by_role("link", name=name))
    part = reader.page.get_by_role("main", name=name, exact=True)
    expect(part).to_be_visible()
    return part


def test_the_journal_leads_to_the_scene_that_it_names(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin("harrowmere")
    reader.page.evaluate("scrollTo(0, 0)")
    for _ in range(3):
        press(reader.choices.first)
        reader.expect_scene(reader.scenes)
        reader.page.wait_for_load_state("networkidle")
    count = reader.scenes
    journal = open_part(reader, press, "Journal")
    expect(journal.get_by_role("heading", name="Day 1")).to_be_visible()
    expect(journal.locator(".entry")).to_have_count(count)
    press(journal.get_by_role("button", name="Go to scene 2"))
    expect(reader.page.locator("#scene-2")).to_be_in_viewport()
    expect(reader.page.locator("#scene-2")).to_be_focused()


def test_the_story_is_searched_and_a_hit_is_gone_to(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin("harrowmere")
    for _ in range(2):
        press(reader.choices.first)
        reader.expect_scene(reader.scenes)
    words = " ".join(reader.words(1).split()[4:8])
    journal = open_part(reader, press, "Journal")
    journal.get_by_label("Search the story").fill(words.upper())
    hit = journal.get_by_role("button", name=words)
    expect(hit.locator("mark")).to_have_text(words)
    press(hit)
    expect(reader.page.locator("#scene-1")).to_be_focused()


def test_people_say_what_they_think_and_a_question_is_put_to_them(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin("harrowmere")
    people = open_part(reader, press, "People")
    press(people.get_by_role("button", name="Pike"))
    pike = people.locator("#person-pike")
    expect(pike).to_contain_text("Here")
    expect(pike.get_by_role("heading", name="What they think of you")).to_be_visible()
    question = pike.locator(".question").last
    words = question.inner_text()
    press(question)
    scene = reader.page.locator("article.scene[aria-labelledby=scene-2]")
    expect(scene.get_by_role("heading")).to_contain_text(f"Ask Pike {words}")
    expect(reader.page.get_by_role("region", name="What do you do?")).to_have_attribute("aria-busy", "false")


def test_a_portrait_in_the_text_leads_to_the_person(reader: Reader) -> None:
    reader.begin("harrowmere")
    click(reader.page.get_by_alt_text("Portrait of Pike"))
    pike = reader.page.get_by_role("main", name="People").locator("#person-pike")
    expect(pike.get_by_role("button", name="Pike")).to_have_attribute("aria-expanded", "true")


def test_the_character_is_a_sheet_with_things(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    persona = {"name": "Nell Harrow", "stats": {"craft": 4}, "items": ["a tuning fork"]}
    reader.begin("harrowmere", persona=persona)
    sheet = open_part(reader, press, "Character")
    expect(sheet.get_by_role("heading", name="Nell Harrow")).to_be_visible()
    expect(sheet.get_by_role("meter", name="Craft")).to_be_visible()
    expect(sheet.get_by_text("A tuning fork")).to_be_visible()
    expect(sheet.get_by_text("persona")).to_have_count(0)


def test_a_place_of_the_map_is_gone_to_by_picking_it(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    story = reader.begin("harrowmere")
    places = reader.server.get(f"/api/stories/{story}/map")["places"]
    target = next(place for place in places if not place["isSeen"])
    chart = open_part(reader, press, "Map")
    expect(chart.locator("[aria-current=location]")).to_contain_text("Pike")
    buttons = chart.locator(".map button:enabled")
    for button in buttons.all():
        find_point(button)  # none lies over another
    press(chart.get_by_role("button", name=target["name"]))
    scene = reader.page.locator("article.scene[aria-labelledby=scene-2]")
    expect(scene.locator("figure").first).to_contain_text(target["name"])
    assert reader.server.wait(story, 2)["scenes"][-1]["place"] == target["id"]


def test_a_scene_is_gone_back_to_and_chosen_otherwise(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    story = reader.begin("harrowmere")
    page = reader.page
    for _ in range(2):
        press(reader.choices.first)
        reader.expect_scene(reader.scenes)
    page.evaluate("scrollTo(0, 0)")
    press(page.get_by_role("button", name="More about scene 1"))
    press(page.get_by_role("menuitem", name="Choose differently"))
    others = page.get_by_role("region", name="Choose differently after scene 1")
    expect(others.locator("button:disabled")).to_contain_text("chosen")
    other = others.locator("button:enabled").first
    words = other.inner_text()
    press(other)
    page.wait_for_url(lambda address: "/story/" in address and not address.endswith(story))
    scene = page.locator("article.scene[aria-labelledby=scene-2]")
    expect(scene.get_by_role("heading")).to_contain_text(words)
    assert len(reader.server.get(f"/api/stories/{story}")["scenes"]) == 3, "the story itself stays as it was"


def test_a_scene_is_retold_and_each_telling_is_flipped_back_to(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin("harrowmere")
    page = reader.page
    press(reader.choices.first)
    reader.expect_scene(2)
    tellings = [reader.words(2)]
    press(page.get_by_role("button", name="More about scene 2"))
    with page.expect_response("**/retry"):
        press(page.get_by_role("menuitem", name="Retell"))
    group = page.get_by_role("group", name="Tellings of this scene")
    expect(group).to_contain_text("2 of 2")
    tellings.append(reader.words(2))
    press(group.get_by_role("button", name="Earlier telling"))
    expect(group).to_contain_text("1 of 2")
    assert reader.words(2) == tellings[0]
    press(group.get_by_role("button", name="Later telling"))
    expect(group).to_contain_text("2 of 2")
    assert reader.words(2) == tellings[1]


PIXELS = """image => {
    const { naturalWidth: wide, naturalHeight: high } = image;
    const canvas = new OffscreenCanvas(wide, high).getContext("2d", { willReadFrequently: true });
    canvas.drawImage(image, 0, 0);
    const at = (x, y) => [...canvas.getImageData(x, y, 1, 1).data].join();
    const words = new Set();
    for (let y = high - 400; y < high; y += 2) for (let x = 96; x < 984; x += 2) words.add(at(x, y));
    return { wide, high, paper: at(4, high - 4), colours: words.size };
}"""


def test_a_scene_is_shared_as_a_picture_and_as_a_page_without_links(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    story = reader.begin()
    page = reader.page
    press(page.get_by_role("button", name="More about scene 1"))
    press(page.get_by_role("menuitem", name="Share"))
    dialog = page.get_by_role("dialog", name="Share scene 1")
    picture = dialog.get_by_role("img", name="Scene 1 as a picture")
    expect(picture).to_be_visible()
    drawn = picture.evaluate(PIXELS)
    assert drawn["wide"] == 1080
    assert drawn["high"] > 1000, "the place's picture and all paragraphs"
    assert drawn["paper"] == "19,15,24,255", "on the reader's own paper"
    assert drawn["colours"] > 20, "words, not an empty sheet"
    with page.expect_download() as saved:
        press(dialog.get_by_role("link", name="Save as a picture"))
    assert saved.value.suggested_filename == f"{story}-scene-1.png"
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as saved:
        press(dialog.get_by_role("link", name="Save as a web page"))
    assert saved.value.suggested_filename == f"{story}-scene-1.html"
    content = saved.value.path().read_text()
    assert reader.words(1)[:40] in content
    assert not re.search(r"<(?:a|link|script|img|iframe)\b|\b(?:href|src)=|url\(|https?:", content)
    press(dialog.get_by_role("button", name="Close"))
    expect(dialog).to_have_count(0)


def test_a_scene_is_shared_by_a_key_and_sent_by_what_the_device_has(reader: Reader) -> None:
    reader.page.add_init_script(
        "navigator.canShare = () => true; navigator.share = async what => { window.sent = what.files[0]; };"
    )
    reader.begin()
    reader.page.keyboard.press("h")
    dialog = reader.page.get_by_role("dialog", name="Share scene 1")
    click(dialog.get_by_role("button", name="Send"))
    assert reader.page.evaluate("[window.sent.type, window.sent.size > 10000]") == ["image/png", True]


def test_the_keys_are_shown_and_do_what_they_say(reader: Reader) -> None:
    reader.begin("harrowmere")
    page = reader.page
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Search the story")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    for key, name in (("j", "Journal"), ("p", "People"), ("c", "Character"), ("m", "Map")):
        page.keyboard.press(key)
        expect(page.get_by_role("main", name=name)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("main", name="Map")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_label("Search the story")).to_be_focused()
    page.keyboard.type("jpcm1")  # letters that are typed are no keys
    expect(page.get_by_label("Search the story")).to_have_value("jpcm1")
    assert reader.scenes == 1


@pytest.mark.parametrize(
    ("theme", "scheme", "paper"),
    [
        ("Paper", "light", ""),
        ("Sepia", "light", "sepia"),
        ("Black", "dark", "black"),
        ("Contrast", "dark", "contrast"),
    ],
)
def test_every_theme_is_set_and_kept(reader: Reader, theme: str, scheme: str, paper: str) -> None:
    reader.begin()
    page = reader.page
    click(page.get_by_role("button", name="Text and sound"))
    with page.expect_response("**/api/settings"):
        click(page.get_by_text(theme, exact=True))
    page.reload()
    reader.expect_scene(1)
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    expect(page.locator("html")).to_have_attribute("data-look", paper)


def test_letters_and_the_width_of_lines_are_the_reader_s(reader: Reader) -> None:
    reader.begin()
    page = reader.page
    prose = page.locator(".prose").first
    style = "node => [getComputedStyle(node).fontFamily, node.getBoundingClientRect().width]"
    family, width = prose.evaluate(style)
    click(page.get_by_role("button", name="Text and sound"))
    click(page.get_by_text("Easy to read", exact=True))
    click(page.get_by_text("Narrow", exact=True))
    expect(page.locator("html")).to_have_attribute("data-font", "legible")
    expect(page.locator("html")).to_have_attribute("data-width", "narrow")
    narrower = "([node, width]) => node.getBoundingClientRect().width < width"
    page.wait_for_function(narrower, arg=[prose.element_handle(), width])
    assert prose.evaluate(style)[0] != family
