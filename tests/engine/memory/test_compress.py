"""The story so far keeps what must be kept, in a size that does not grow."""

from __future__ import annotations

import random
from itertools import pairwise

import msgspec

from narratoria.engine.memory.compress import CHAPTERS, History, Summary, add, chapter_lines, keepsakes

# what is said in the first twenty scenes, and must still be known at the end
PROBES = {
    2: (
        "Hob Tarrant's inn: You promise Hob Tarrant to bring back the brass key.",
        ("Hob Tarrant",),
        "brass key",
    ),
    5: ("The mill: Ada lent you forty silver and you owe her the sum.", ("Ada",), "forty silver"),
    7: ("The quay: You gave Captain Merle your word to say nothing.", ("Captain Merle",), "say nothing"),
    11: ("The tower: The old warden is in your debt for the lamp.", ("Sister Ode",), "in your debt"),
    14: ("The bridge: You swore to come back before the thaw.", (), "before the thaw"),
    19: ("The market: You borrowed a cloak from Pell Oddy.", ("Pell Oddy",), "cloak"),
}


def test_names_promises_and_debts_of_the_first_twenty_scenes_are_known_after_a_thousand() -> None:
    dice = random.Random(1)
    history = History()
    for scene in range(1, 1001):
        text, people, _ = PROBES.get(
            scene,
            (f"The road: Walk on past milestone {scene}. It {dice.choice(['rains', 'snows'])}.", (), ""),
        )
        history = add(history, Summary(scene=scene, text=text, weight=dice.random(), people=people))
    kept = " ".join(keepsake.text for keepsake in keepsakes(history, "promise", "debt"))
    names = [keepsake.text for keepsake in keepsakes(history, "name")]
    for _, people, probe in PROBES.values():
        assert probe in kept
        assert set(people) <= set(names)
    assert all(keepsake.scene in PROBES for keepsake in keepsakes(history, "promise", "debt"))


def test_a_story_with_a_thousand_promises_stays_small_and_keeps_the_first_and_the_last() -> None:
    history = History()
    for scene in range(1, 2001):
        history = add(
            history,
            Summary(
                scene=scene, text=f"You promise thing number {scene}.", weight=0.5, people=(f"Name{scene}",)
            ),
            outcome="triumph",
        )
    promises = [keepsake.text for keepsake in keepsakes(history, "promise")]
    assert promises[0] == "You promise thing number 1."
    assert promises[-1] == "You promise thing number 2000."
    assert len(msgspec.json.encode(history)) < 60_000
    assert len(history.chapters) <= CHAPTERS


def test_the_folded_past_covers_every_scene_once_and_in_order() -> None:
    history = History()
    for scene in range(1, 501):
        history = add(history, Summary(scene=scene, text=f"Scene {scene} happens.", weight=(scene % 7) / 7))
    spans = [(chapter.first, chapter.last) for chapter in history.chapters]
    assert spans[0][0] == 1
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(spans))
    assert spans[-1][1] + 1 == history.recent[0].scene
    assert history.recent[-1].scene == 500
    assert chapter_lines(history)[0].startswith("Scenes 1–")
