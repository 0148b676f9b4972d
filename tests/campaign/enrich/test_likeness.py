"""Texts that are nearer in meaning are more alike, however many were asked about before."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich import likeness
from narratoria.campaign.enrich.likeness import measure_likeness

TEXTS = ("a ship at sea", "a bakery in the morning", "a long voyage", "a loaf of bread", "the open water")


def test_what_is_nearer_in_meaning_is_more_alike_in_any_company() -> None:
    alone = [measure_likeness("a sailor's story", [text])[0] for text in TEXTS]
    together = measure_likeness("a sailor's story", TEXTS)
    assert together == pytest.approx(alone, abs=1e-5)
    assert min(together[0], together[2]) > max(together[1], together[3])


def test_texts_that_were_asked_about_before_more_were_kept_than_may_be_are_still_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likeness, "_vectors", {})
    before = measure_likeness(TEXTS[0], TEXTS)
    monkeypatch.setattr(likeness, "MOST_KEPT", 2)
    assert measure_likeness("something new", TEXTS[:1]) != []
    assert measure_likeness(TEXTS[0], TEXTS) == pytest.approx(before, abs=1e-5)
