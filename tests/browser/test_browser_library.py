"""Stories as things one has: branched, compared, renamed, taken out, brought in, deleted."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader


def test_a_story_is_branched_and_its_branches_are_compared(reader: Reader) -> None:
    story = reader.begin()
    reader.choose(0)
    reader.choose(0)
    page = reader.page
    click(page.get_by_role("button", name="More", exact=True))
    click(page.get_by_role("menuitem", name="Branches and export"))
    page.wait_for_url(f"**/library/{story}")
    expect(page.locator(".timeline > li")).to_have_count(3)  # nothing moves under the pointer any more
    click(page.get_by_role("button", name="Branch after scene 1", exact=True))
    page.wait_for_url(lambda address: "/story/" in address and story not in address)
    expect(page.locator("article.scene")).to_have_count(1)
    reader.choose(1)
    branch = page.url.rpartition("/")[2]
    reader.go(f"/library/{story}")
    page.get_by_label("Compare with").select_option(branch)
    expect(page.get_by_text("The first scene is the same.")).to_be_visible()
    own = reader.server.get(f"/api/stories/{story}")["scenes"][1]["action"]
    other = reader.server.get(f"/api/stories/{branch}")["scenes"][1]["action"]
    sides = page.locator(".sides > div")
    expect(sides.nth(0)).to_contain_text(own)
    expect(sides.nth(1)).to_contain_text(other)


def test_the_last_turn_is_taken_back_in_the_library_too(reader: Reader) -> None:
    story = reader.begin()
    reader.choose(0)
    reader.go(f"/library/{story}")
    page = reader.page
    click(page.get_by_role("button", name="Undo last turn"))
    expect(page.get_by_text("Last turn undone.")).to_be_visible()
    expect(page.locator(".timeline > li")).to_have_count(1)
    expect(page.get_by_role("button", name="Undo last turn")).to_be_disabled()


def test_stories_of_one_campaign_are_told_apart_by_who_is_played(reader: Reader) -> None:
    title = reader.server.get("/api/campaigns/comet-tea-room")["title"]
    for name in ("Ada", "Grace", "Ada"):
        reader.begin("comet-tea-room", character={"name": name})
    reader.go("/")
    headings = reader.page.get_by_role("heading", level=3)
    for told in (f"{title} (Ada)", f"{title} (Grace)", f"{title} (Ada, 2)"):
        expect(headings.get_by_role("link", name=told, exact=True)).to_have_count(1)


def test_a_story_is_renamed_exported_deleted_and_imported_again(reader: Reader, tmp_path: Path) -> None:
    story = reader.begin()
    reader.choose(0)
    told = reader.words(2)
    reader.go(f"/library/{story}")
    page = reader.page

    def menu(item: str) -> None:
        click(page.get_by_role("button", name="More about"))
        click(page.get_by_role("menuitem", name=item))

    menu("Rename")
    name = page.get_by_role("dialog", name="Rename this story").get_by_label("Name")
    name.fill("  ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("A story needs a name")
    name.fill("The winter post")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The winter post").first).to_be_visible()
    files = {}
    for kind, ending in (("Markdown", "md"), ("Web page", "html"), ("E-book", "epub"), ("Save file", "json")):
        menu("Export")
        with page.expect_download() as started:
            click(page.get_by_role("link", name=kind))
        files[ending] = tmp_path / started.value.suggested_filename
        started.value.save_as(files[ending])
        assert files[ending].suffix == f".{ending}"
    first_words = " ".join(told.split()[:6])
    assert first_words in " ".join(files["md"].read_text().split())
    assert files["epub"].read_bytes().startswith(b"PK")
    menu("Delete")
    click(page.get_by_role("dialog").get_by_role("button", name="Delete"))
    page.wait_for_url(f"{reader.server.origin}/")
    expect(page.get_by_text("“The winter post” is gone.")).to_be_visible()
    expect(page.get_by_role("link", name="The winter post")).to_have_count(0)
    page.get_by_label("A story, a campaign, a card or a lorebook").set_input_files(files["json"])
    stranger = page.get_by_role("dialog", name="The winter post")
    expect(stranger).to_contain_text("Not signed")
    expect(stranger).to_contain_text(first_words)
    click(stranger.get_by_role("button", name="Leave it"))
    expect(stranger).to_have_count(0)
    expect(page.get_by_role("link", name="The winter post")).to_have_count(0)
    page.get_by_label("A story, a campaign, a card or a lorebook").set_input_files(files["json"])
    click(stranger.get_by_role("button", name="Bring it in"))
    expect(page.get_by_text("“The winter post” is in your library now.")).to_be_visible()
    click(page.get_by_role("link", name="The winter post").first)
    reader.expect_scene(2)
    assert reader.words(2) == told


def test_what_is_no_saved_story_is_refused_in_words(reader: Reader, tmp_path: Path) -> None:
    wrong = tmp_path / "photo.json"
    wrong.write_bytes(b"\x89PNG nothing of ours")
    reader.page.get_by_label("A story, a campaign, a card or a lorebook").set_input_files(wrong)
    toast = reader.page.locator(".toast")
    expect(toast).to_be_visible()
    assert "Traceback" not in toast.inner_text()


def test_a_campaign_shows_what_is_wrong_with_it_and_whose_work_it_is(reader: Reader) -> None:
    broken = reader.server.home / "campaigns/broken-lamp"
    (broken / "plot").mkdir(parents=True)
    (broken / "manifest.json").write_text('{"title": "The Broken Lamp", "version": "1.0.0"}')
    (broken / "plot/beats.json").write_text('{"beats": [{"id": "x",\n "priority": "urgent"}]}')
    page = reader.page
    reader.go("/campaign/broken-lamp")
    click(page.get_by_role("tab", name="Problems"))
    expect(page.get_by_text("plot/beats.json:2").first).to_be_visible()
    reader.go("/campaign/harrowmere")
    expect(page.get_by_role("link", name="Begin this story")).to_be_visible()
    click(page.get_by_role("tab", name="Credits"))
    expect(page.get_by_text("art/cover.webp")).to_be_visible()
