"""What a reader changes besides playing: words, an undo taken back, notes, what is remembered."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.browser.pointer import Press, tap
from tests.browser.reader import Reader
from tests.browser.test_browser_access import complaints

MINE = "A heron in a waistcoat bows to you."
SMALL = """root => [...root.querySelectorAll("button, input, textarea, select, a")]
    .map(node => node.matches("input[type=radio]") ? node.closest("label") : node)
    .filter(node => node.checkVisibility() && getComputedStyle(node).display !== "inline")
    .map(node => [node.getBoundingClientRect(), node])
    .filter(([box]) => Math.min(box.width, box.height) < 44)
    .map(([box, node]) => `${node.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""


def pick(reader: Reader, press: Press, menu: str, item: str) -> None:
    press(reader.page.get_by_role("button", name=menu, exact=True))
    press(reader.page.get_by_role("menuitem", name=item, exact=True))


def test_a_scene_is_bookmarked_found_in_the_journal_and_forgotten(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    page = reader.page
    reader.begin()
    press(reader.choices.first)
    reader.expect_scene(2)
    pick(reader, press, "More about scene 1", "Bookmark")
    marked = page.get_by_role("button", name="Remove bookmark")
    expect(marked).to_have_count(1)
    page.reload()
    reader.expect_scene(2)
    expect(marked).to_have_count(1)
    page.keyboard.press("b")
    expect(marked).to_have_count(2)
    assert complaints(page) == []
    page.keyboard.press("j")
    bookmarks = page.get_by_role("region", name="Bookmarks")
    expect(bookmarks.get_by_role("listitem")).to_have_count(2)
    assert complaints(page) == []
    press(bookmarks.get_by_role("button", name="Go to scene 1"))
    expect(page.locator("#scene-1")).to_be_focused()
    press(marked.first)
    expect(marked).to_have_count(1)
    pick(reader, press, "More about scene 2", "Remove bookmark")
    expect(marked).to_have_count(0)


def test_a_paragraph_is_edited_marked_kept_and_put_back(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin()
    press(reader.choices.first)
    reader.expect_scene(2)
    told = reader.words(2)
    pick(reader, press, "More about scene 2", "Edit")
    form = reader.page.get_by_role("form", name="Edit scene 2")
    expect(form.get_by_label("Paragraph 1")).to_be_focused()
    form.get_by_label("Paragraph 1").fill(MINE)
    # what lies half under the bar of a phone has room once it is scrolled to
    assert [one for one in complaints(reader.page) if "More about" not in one] == []
    if press is tap:
        assert form.evaluate(SMALL) == []
    press(form.get_by_role("button", name="Save"))
    expect(reader.page.get_by_text(MINE)).to_be_visible()
    expect(reader.page.get_by_role("button", name="Edited by you")).to_be_visible()
    reader.page.reload()
    reader.expect_scene(2)
    assert reader.words(2).startswith(MINE)
    press(reader.page.get_by_role("button", name="Edited by you"))
    press(form.get_by_role("button", name="As it was told"))
    press(form.get_by_role("button", name="Cancel"))
    expect(reader.page.get_by_text(MINE)).to_have_count(0)
    assert reader.words(2) == told


def test_what_was_undone_is_redone(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin()
    press(reader.choices.first)
    reader.expect_scene(2)
    told = reader.words(2)
    pick(reader, press, "More about scene 2", "Undo")
    expect(reader.page.locator("#scene-2")).to_have_count(0)
    expect(reader.page.get_by_role("button", name="Redo", exact=True)).to_be_visible()
    reader.page.reload()
    reader.expect_scene(1)
    pick(reader, press, "More about scene 1", "Redo")
    reader.expect_scene(2)
    assert reader.words(2) == told


def test_notes_are_left_shown_and_removed_and_say_who_follows_them(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    story = reader.begin()
    pick(reader, press, "More", "Note to the narrator")
    dialog = reader.page.get_by_role("dialog", name="Note to the narrator")
    expect(dialog).to_contain_text("Only a telling model follows notes")
    dialog.get_by_label("What should the narrator keep in mind?").fill("Keep it short")
    press(dialog.get_by_role("button", name="Add note"))
    expect(dialog.get_by_role("listitem")).to_contain_text("From now on")
    dialog.get_by_label("What should the narrator keep in mind?").fill("Let it rain")
    press(dialog.get_by_label("For the next scene"))
    press(dialog.get_by_role("button", name="Add note"))
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    assert complaints(reader.page) == []
    if press is tap:
        assert dialog.evaluate(SMALL) == []
    press(dialog.get_by_role("button", name="Done"))
    press(reader.page.get_by_role("button", name="2 notes to the narrator"))
    press(dialog.get_by_role("button", name="Remove “Keep it short”"))
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    press(dialog.get_by_role("button", name="Done"))
    press(reader.choices.first)
    reader.expect_scene(2)
    expect(reader.page.get_by_text("to the narrator")).to_have_count(0)
    assert reader.server.get(f"/api/stories/{story}")["notes"] == []


def test_a_memory_is_pinned_struck_out_and_put_back_in_the_journal(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    story = reader.begin("harrowmere")
    for _ in range(2):
        press(reader.choices.first)
        reader.expect_scene(reader.scenes)
    reader.go(f"/story/{story}/journal")
    journal = reader.page.get_by_role("main", name="Journal", exact=True)
    press(journal.get_by_role("tab", name="Memory"))
    first = journal.get_by_role("listitem").first
    expect(first.get_by_role("button", name="Pin")).to_be_visible()
    last = journal.get_by_role("listitem").last.locator("p").inner_text()
    press(journal.get_by_role("listitem").last.get_by_role("button", name="Pin"))
    expect(first).to_contain_text(last)
    expect(first).to_contain_text("pinned")
    assert complaints(reader.page) == []
    press(first.get_by_role("button", name="Strike out"))
    expect(journal.get_by_text(last, exact=True)).to_have_count(0)
    journal.get_by_label("Show").select_option("what you have struck out")
    press(journal.get_by_role("button", name="Put back"))
    expect(journal).to_contain_text("You have struck nothing out.")
    journal.get_by_label("Show").select_option("everything")
    expect(journal.get_by_text(last, exact=True)).to_be_visible()


def test_edit_note_undo_and_redo_have_keys(reader: Reader) -> None:
    reader.begin()
    reader.choose(0)
    told = reader.words(2)
    keys = reader.page.keyboard
    keys.press("e")
    form = reader.page.get_by_role("form", name="Edit scene 2")
    expect(form.get_by_label("Paragraph 1")).to_be_focused()
    keys.press("Control+a")
    keys.type(MINE)
    keys.press("Control+Enter")
    expect(form).to_have_count(0)
    expect(reader.page.get_by_text(MINE)).to_be_visible()
    keys.press("z")
    expect(reader.page.locator("#scene-2")).to_have_count(0)
    keys.press("y")
    reader.expect_scene(2)
    assert reader.words(2).startswith(MINE) != told.startswith(MINE)
    keys.press("n")
    expect(reader.page.get_by_role("dialog", name="Note to the narrator")).to_be_visible()
    keys.press("Escape")
    keys.press("?")
    expect(reader.page.get_by_role("dialog", name="Keys")).to_contain_text("Redo what was undone")


def test_a_name_in_the_text_opens_a_card_that_leads_to_where_it_was_told(
    screen: tuple[Reader, Press],
) -> None:
    reader, press = screen
    story = reader.begin("harrowmere")
    choices = reader.server.get(f"/api/stories/{story}")["scenes"][0]["choices"]
    asked = next(index for index, choice in enumerate(choices) if choice.get("topic"))
    press(reader.choices.nth(asked))
    reader.expect_scene(2)
    cards = reader.server.get(f"/api/stories/{story}/cards")
    card = next(one for one in cards if one["id"] == f"person/{choices[asked]['target']}")
    name = reader.page.locator("article.scene .term").filter(has_text=card["names"][-1]).first
    press(name)
    dialog = reader.page.get_by_role("dialog", name=card["title"])
    expect(dialog).to_contain_text(card["facts"][0]["text"].replace("*", "")[:40])
    assert complaints(reader.page) == []
    press(dialog.get_by_role("button", name="Scene 2").first)
    expect(reader.page.locator("#scene-2")).to_be_focused()
    reader.page.keyboard.press("l")
    listed = reader.page.get_by_role("dialog", name="People, places and things")
    press(listed.get_by_role("button", name=card["title"]))
    expect(dialog).to_be_visible()
    press(dialog.get_by_role("button", name="Close"))
    expect(reader.page.get_by_role("dialog")).to_have_count(0)
