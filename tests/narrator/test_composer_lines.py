"""The composer's own lines are whole sentences, and none stands twice in a group."""

from __future__ import annotations

import msgspec

from narratoria.narrator.composer_lines import ENDINGS, NARRATION, SAYINGS, find_lines
from narratoria.narrator.word_lists import WORDS


def test_every_line_of_the_composer_is_a_whole_sentence() -> None:
    for name, pool in {**msgspec.structs.asdict(NARRATION), **msgspec.structs.asdict(ENDINGS)}.items():
        groups = pool.values() if isinstance(pool, dict) else [pool]
        if name in ("says", "links"):
            continue
        for group in groups:
            for line in group:
                assert line[-1] in ".”}", (name, line)
                assert line[0].isupper() or line[0] in "{“", (name, line)
            assert len(set(group)) == len(group), name


def test_people_of_every_temper_have_something_to_say() -> None:
    for name, lines_by_temper in msgspec.structs.asdict(SAYINGS).items():
        assert set(lines_by_temper) == {"plain", *WORDS.manner.tempers}, name


def test_a_line_is_known_again_when_it_is_said_by_somebody() -> None:
    line = "It's {place} I'd be thinking of."
    assert list(find_lines("“It's the mill I'd be thinking of,” says Ada.")) == [line]
    assert list(find_lines("“It's the mill I'd be thinking of.”")) == [line]
    assert list(find_lines("“It's the mill I'd be thinking of, if I had the time.”")) == []
