"""Writes the vectors of the bundled campaigns' texts, for `narratoria/inference/shipped_vectors.py`.

`python -m evals.retrieval.ship` encodes what is new, leaves out what no campaign says any more, and prints
the name of the file, which belongs into `VECTORS_FILE` and into the README of the weights.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from narratoria import app, paths
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.ingest import ingest_campaign
from narratoria.engine.action import situation_of
from narratoria.engine.beats import offers_of
from narratoria.engine.evidence_matching import texts_to_read
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.story_evidence import beat_evidence, candidates_for, premise_evidence
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.shipped_vectors import (
    DIMENSIONS,
    VECTORS_FILE,
    encode_shipped_vectors,
    text_key,
)
from narratoria.inference.text_matcher import TextMatcher, open_matcher
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention
from narratoria.store import Store

ACTS = ("ask", "think_back", "examine")  # each looks at candidates of another kind
WEIGHTS = paths.PACKAGE / "weights"


CAMPAIGNS = sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())


def matched_texts(campaign: Campaign) -> set[str]:
    """Return what typed words are compared with: offers, topics, and all that people know and places show."""
    texts = {wording for beat in campaign.beats for wording in offers_of(beat)}
    for profile in campaign.people.values():
        for topic in profile.topics:
            texts |= {topic.ask, *topic.also, f"{topic.ask}: {topic.fact or topic.ask}"}
    evidence = list(_evidence(campaign))
    return texts | {one.passage for one in evidence} | set(texts_to_read(evidence)[1])


class TextRecorder:
    """Embeds nothing, and records what it is asked to embed."""

    def __init__(self, embedder: Embedder) -> None:
        self.model_id, self.windows = embedder.model_id, embedder.windows
        self.texts: set[str] = set()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts |= set(texts)
        return np.zeros((len(texts), DIMENSIONS), np.float32)


async def stored_texts(campaign: Campaign, embedder: Embedder) -> set[str]:
    """Return what the store embeds of a campaign when it is ingested."""
    recorder = TextRecorder(embedder)
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(Path(folder) / "narratoria.db", recorder, logs=Path(folder))
        try:
            await ingest_campaign(campaign.folder, store)
            await store.reembed_pending()
        finally:
            await store.close()
    return recorder.texts


def _evidence(campaign: Campaign) -> Iterator[Evidence]:
    done = {beat.id: "done" for beat in campaign.beats}
    for place in campaign.places:
        story = StorySnapshot(
            id="", campaign=campaign.name, seed=0, progress=Progress(place=place, beat_outcomes=done)
        )
        situation = situation_of(story, campaign)
        yield from beat_evidence(situation)
        for person in ("", *campaign.people):
            for act in ACTS:
                intent = Intent(act=act, text="who", person=Mention("", person, person) if person else None)
                yield from candidates_for(intent, situation, lore=(), memories=(), by_witness={})
    yield from premise_evidence(campaign)


async def encode_texts(embedder: Embedder, matcher: TextMatcher) -> bytes:
    """Return the file with a vector for every text of the bundled campaigns."""
    matched, searched = set[str](), set[str]()
    for name in CAMPAIGNS:
        campaign = app.open_campaign(name)  # as it is played: a sparse one is enriched in this home
        texts = matched_texts(campaign)
        matched |= texts
        searched |= texts | await stored_texts(campaign, embedder)
    search_rows = dict[bytes, NDArray[np.float16]]()
    match_rows = dict[bytes, NDArray[np.float16]]()
    for text, row in zip(sorted(searched), await embedder.embed(sorted(searched)), strict=True):
        search_rows[text_key(text)] = row.astype(np.float16)
    for text, row in zip(sorted(matched), matcher.encode(sorted(matched)), strict=True):
        match_rows[text_key(text)] = row.astype(np.float16)
    return encode_shipped_vectors(
        {"search": (embedder.model_id, search_rows), "match": (matcher.model_id, match_rows)}
    )


async def main() -> None:
    folder = find_embedder()
    embedder = await app.open_embedder()
    assert folder is not None
    assert embedder is not None
    try:
        data = await encode_texts(embedder, open_matcher(folder))
    finally:
        await embedder.close()
    name = f"{hashlib.sha256(data).hexdigest()[:16]}.npz"
    if name != VECTORS_FILE:
        (WEIGHTS / VECTORS_FILE).unlink(missing_ok=True)
    (WEIGHTS / name).write_bytes(data)
    print(f"{name}: {len(data):,} bytes")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["NARRATORIA_HOME"] = home
        asyncio.run(main())
