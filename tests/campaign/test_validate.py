"""What validation says about things that no text can hold: links, devices, names, sizes."""

from __future__ import annotations

from pathlib import Path

from tests.campaign.mill import BEATS, MILLER, PROVENANCE, added, build, problems_in

from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign


def found(folder: Path) -> list[str]:
    return [finding.as_line(Path()) for finding in problems_in(validate_campaign(folder))]


def test_a_campaign_with_little_in_it_is_told_that_the_rest_is_invented(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"title": "x", "version": "1.0.0"}')
    (finding,) = validate_campaign(tmp_path).problems
    assert (finding.code, finding.severity) == ("sparse", "info")
    assert validate_campaign(tmp_path).ok


def test_what_was_generated_is_counted_file_by_file(tmp_path: Path) -> None:
    person = {
        "name": "Ida",
        "role": "Ferrywoman",
        "personality": {},
        "generated": True,
        "provenance": PROVENANCE,
    }
    sidecar = {"alt_text": "A hat.", "generated": True, "provenance": PROVENANCE}
    folder = build(
        tmp_path,
        added("characters/npcs/ida/profile_generated.json", person),
        added("art/characters/ida_generated.png", b"\x89PNG\r\n\x1a\n0"),
        added("art/characters/ida_generated.png.metadata.json", sidecar),
    )
    report = validate_campaign(folder)
    (finding,) = problems_in(report)
    assert finding.message == (
        "Campaign contains 2 AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
    )
    assert report.campaign is not None
    assert report.campaign.people["ida"].portrait == "art/characters/ida_generated.png"
    assert set(report.campaign.generated) == {
        "characters/npcs/ida/profile_generated.json",
        "art/characters/ida_generated.png",
    }


def test_a_topic_with_an_unknown_beat_is_reported_with_its_file_line_and_pointer(tmp_path: Path) -> None:
    topic = {"id": "wheel", "ask": "why it turns", "answer": "…", "conditions": {"requires_beat": "arrve"}}
    file = "characters/npcs/miller/profile.json"
    folder = build(tmp_path, added(file, {**MILLER, "topics": [topic, {**topic, "conditions": {}}]}))
    problems = {problem.code: problem for problem in validate_campaign(folder).problems}
    line = (folder / file).read_text(encoding="utf-8").splitlines().index('    "requires_beat": "arrve"') + 1

    unknown, duplicate = problems["unknown-beat"], problems["duplicate"]
    assert unknown.message == "there is no beat 'arrve'; did you mean 'arrive'?"
    assert (unknown.file, unknown.line, unknown.pointer) == (file, line, "/topics/0/conditions/requires_beat")
    assert (duplicate.severity, duplicate.file, duplicate.pointer) == ("error", file, "/topics/1/id")
    assert duplicate.message == "there is a second topic 'wheel'; rename one"


def test_an_epilogue_may_depend_on_what_a_topic_brings_about(tmp_path: Path) -> None:
    topic = {"id": "wheel", "ask": "why it turns", "answer": "…", "consequences": ["Jonah has owned up"]}
    profile = added("characters/npcs/miller/profile.json", {**MILLER, "topics": [topic]})
    page = "# Morning\n\nIt turns.\n\n## Epilogue\n\n- Jonah has owned up: He sleeps again.\n"
    folder = build(tmp_path, profile, added("plot/endings/morning.md", page))

    assert found(folder) == []
    ending = load_campaign(folder).endings["morning"]
    assert [(line.when, line.text) for line in ending.epilogue] == [
        ("Jonah has owned up", "He sleeps again.")
    ]


def test_a_remark_by_somebody_unknown_is_reported_in_a_beat_and_in_an_outcome(tmp_path: Path) -> None:
    arrive, climb, *rest = BEATS["beats"]
    good, bad = climb["outcomes"]
    beats = [
        {**arrive, "remarks": {"miler": "It stands.", "miller": "It stood."}},
        {**climb, "outcomes": [{**good, "remarks": {"mller": "It turns."}}, bad]},
        *rest,
    ]
    folder = build(tmp_path, added("plot/beats.json", {"beats": beats}))
    problems = [problem for problem in validate_campaign(folder).problems if problem.code == "unknown-person"]
    pointers = [problem.pointer for problem in problems]
    assert pointers == ["/beats/0/remarks/miler", "/beats/1/outcomes/0/remarks/mller"]
