"""A question is read together with what may answer it: topics by their words and by their facts."""

from __future__ import annotations

from typing import Any, cast

from narratoria.engine.evidence_matching import match_evidence, texts_to_read
from narratoria.inference.text_matcher import TextMatcher
from narratoria.narrator.evidence import Evidence


class Scores:
    """Stands for the trained model, which takes longer to load than these rules to test."""

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores, self.was_asked = scores, False

    def match(self, _text: str, candidates: list[str], *_: Any, **__: Any) -> list[float]:
        self.was_asked = True
        return [next((v for k, v in self.scores.items() if k in one), 0.0) for one in candidates]


def topic(name: str, likeness: float, **more: Any) -> Evidence:
    return Evidence(
        id=f"ada/topic/{name}",
        text=f"Ada told you about the {name}.",
        source="topic",
        owner="ada",
        questions=(f"about the {name}",),
        answer=f"“The {name},” says Ada.",
        relevance=likeness,
        **more,
    )


def match(evidence: list[Evidence], **scores: float) -> list[Evidence]:
    return match_evidence("what is it?", evidence, cast("TextMatcher", Scores(scores)))


def test_somebodys_life_is_read_sentence_by_sentence_and_a_page_of_lore_whole() -> None:
    life = Evidence(
        id="ada/background/0", text="Ada was born here. A valve took her ear.", source="profile", owner="ada"
    )
    page = Evidence(id="lore/mill#0", text="The mill burned. Nobody slept.", source="lore", about="the mill")
    owners, texts = texts_to_read([life, page])

    assert owners == [0, 0, 1]
    assert texts == [
        "Ada was born here.",
        "A valve took her ear.",
        "the mill: The mill burned. Nobody slept.",
    ]


def test_the_only_topic_that_is_asked_in_its_own_words_is_told_without_reading() -> None:
    model = Scores({})
    best = match_evidence("q", [topic("flood", 0.97), topic("mill", 0.4)], cast("TextMatcher", model))[0]
    assert (best.id, best.relevance, model.was_asked) == ("ada/topic/flood", 1.0, False)


def test_of_topics_with_words_alike_the_one_whose_fact_answers_is_told() -> None:
    assert match([topic("flood", 0.95), topic("mill", 0.92)], mill=0.9, flood=0.1)[0].id == "ada/topic/mill"


def test_a_topic_that_only_sounds_alike_does_not_answer() -> None:
    assert match([topic("flood", 0.72), topic("mill", 0.7)], flood=0.05)[0].relevance < 0.4


def test_a_topic_that_alone_sounds_alike_answers_though_its_fact_is_told_otherwise() -> None:
    assert match([topic("flood", 0.82), topic("mill", 0.5)], flood=0.0)[0].relevance >= 0.5


def test_a_saying_gives_way_to_what_an_author_wrote_as_an_answer() -> None:
    saying = Evidence(id="ada/says/0", text="Water finds its level.", source="saying", owner="ada")
    ranked = match([saying, topic("flood", 0.7)], level=0.99, flood=0.8)
    assert [one.id for one in ranked] == ["ada/topic/flood", "ada/says/0"]


def test_lore_that_has_no_word_of_the_question_is_trusted_less() -> None:
    page = Evidence(id="lore/boats#0", text="The Marta carries ore.", source="lore", about="Ships")
    words = Scores({"Marta": 0.8})

    (other,) = match_evidence("who made the puppets?", [page], cast("TextMatcher", words))
    (named,) = match_evidence("what does the Marta carry?", [page], cast("TextMatcher", words))
    assert other.relevance < 0.5 < named.relevance


def test_notes_are_read_beside_the_question_as_it_was_typed_and_topics_beside_what_is_asked() -> None:
    class Questions(Scores):
        def match(self, text: str, candidates: list[str], *_: Any, **__: Any) -> list[float]:
            asked.extend((text, one) for one in candidates)
            return [0.0] * len(candidates)

    asked: list[tuple[str, str]] = []
    note = Evidence(id="ada/background/0", text="Ada rows.", source="profile", owner="ada")
    match_evidence(
        "the flood",
        [topic("flood", 0.5), note],
        cast("TextMatcher", Questions({})),
        typed="ask Ada about the flood",
    )
    assert ("ask Ada about the flood", "Ada rows.") in asked
    assert {text for text, one in asked if one != "Ada rows."} == {"the flood"}
