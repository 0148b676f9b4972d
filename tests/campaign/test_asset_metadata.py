"""What is said of a file: its kind, its size, its words and who is in it."""

from __future__ import annotations

from tests.campaign import mill
from tests.campaign.test_ingest import _asset

from narratoria.campaign.asset_metadata import (
    MOST,
    keywords_from_name,
    keywords_from_text,
    merge_keywords,
    read_keywords_file,
)
from narratoria.campaign.ingest import checksum, ingest_campaign


async def test_every_file_is_described(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    await ingest_campaign(folder, store)

    portrait = await _asset(store, folder, "art/characters/npc_miller.png")
    assert portrait["checksum"] == checksum(folder / "art/characters/npc_miller.png")
    assert portrait["alt_text"] == "Jonah Reed, Miller"
    assert portrait["relationships"]["entity_links"] == ("miller",), "by how the file is called"
    assert portrait["relationships"]["referenced_by"] == ("characters/npcs/miller/profile.json",)
    beats = await _asset(store, folder, "plot/beats.json")
    assert beats["schema_type"] == "plot-beats"
    assert {"music/ambient/wheel.ogg", "lore/locations/mill.md", "plot/endings/morning.md"} <= set(
        beats["relationships"]["references"]
    )
    weir = await _asset(store, folder, "lore/locations/weir.md")
    assert weir["relationships"]["references"] == ("lore/locations/mill.md",)
    assert weir["type"] == "prose"
    assert weir["word_count"] > 0
    assert weir["chunk_method"] == "paragraph"
    assert [chunk["index"] for chunk in weir["chunks"]] == [0, 1]
    music = await _asset(store, folder, "music/ambient/wheel.ogg")
    assert music["loop"] is True
    assert "wheel" in music["keywords"]
    profile = await _asset(store, folder, "characters/npcs/miller/profile.json")
    assert (profile["type"], profile["entity_id"]) == ("structured", "miller")
    assert [(await _asset(store, folder, file))["generated"] for file in mill.ASSETS] == [False] * len(
        mill.ASSETS
    )


async def test_an_authors_keywords_take_the_place_of_ours(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    await ingest_campaign(folder, store)
    assert (await _asset(store, folder, "art/items/sack.png"))["keywords"] == ("sack", "flour")

    (folder / "art/items/sack.png.keywords.txt").write_text("# other words\nbag\n")
    done = await ingest_campaign(folder, store)

    assert (await _asset(store, folder, "art/items/sack.png"))["keywords"] == ("bag",)
    assert set(done.changed) == {"art/items/sack.png", "art/items/sack.png.keywords.txt"}


def test_a_file_of_keywords_has_one_a_line_and_may_have_comments() -> None:
    text = "\ufeff# by hand\n old mill \n\nwheel\nwheel\n" + "x" * 200
    assert read_keywords_file(text) == ("old mill", "wheel", "x" * 100)
    assert read_keywords_file("") == ()


def test_a_name_gives_its_words_and_its_folders_less_the_usual_ones() -> None:
    assert keywords_from_name("art/locations/old_mill.png") == ("mill", "locations")
    assert keywords_from_name("music/the.ogg") == ()


def test_a_text_gives_its_names_first_and_then_what_it_repeats() -> None:
    text = "The wheel turns. Old Jonah Reed stops the wheel, and Jonah Reed's lantern goes out."
    found = keywords_from_text(text)
    assert found[0] == "Jonah Reed"
    assert "wheel" in found
    assert "the" not in found


def test_keywords_are_few_and_each_stands_once_whatever_its_case() -> None:
    assert merge_keywords(["Mill", " "], ["mill", "weir "]) == ("Mill", "weir")
    assert len(merge_keywords(map(str, range(100)))) == MOST
