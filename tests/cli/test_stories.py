"""The commands about stories in one home: what they print, and what they leave behind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from narratoria.cli.commands import narratoria

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stories")


@pytest.fixture(scope="module")
def run(home: Path) -> Run:
    """`narratoria …` in that home: the whole command, with the real store and skills, in this process."""
    told = CliRunner(env={"NARRATORIA_HOME": str(home)})

    def ran(*arguments: str, typed: str = "", code: int = 0) -> Result:
        done = told.invoke(narratoria, arguments, input=typed, prog_name="narratoria")
        assert done.exit_code == code, done.output
        return done

    return ran


@pytest.fixture(scope="module")
def story(run: Run) -> str:
    """Three scenes of a story that was begun by name."""
    run("play", "comet-tea-room", "--seed", "7", "--title", "The long <tea>", "--name", "Ada", typed="1\n2\n")
    (found,) = listed(run)
    assert (found["title"], found["scenes"], found["seed"]) == ("The long <tea>", 3, 7)
    identifier: str = found["id"]
    return identifier


def listed(run: Run, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("stories", "list", "--json", *arguments).stdout)
    return found


def test_the_list_names_a_story_and_says_how_far_it_is(run: Run, story: str) -> None:
    line = run("stories", "list", "comet-tea-room").stdout
    assert line.split()[0] == story
    assert "3 scenes" in line
    assert "The long <tea>" in line
    assert listed(run, "harrowmere") == []
    assert "narratoria play" in run("stories", "list", "harrowmere").stderr


def test_a_story_is_shown_by_its_scenes_or_by_one_with_all_its_words(run: Run, story: str) -> None:
    scenes = run("stories", "show", story).stdout
    assert re.findall(r"^ +(\d)  ", scenes, re.MULTILINE) == ["1", "2", "3"]
    second = json.loads(run("stories", "show", story, "2", "--json").stdout)["scenes"][0]
    whole = " ".join(run("stories", "show", story, "2").stdout.split())
    assert " ".join(second["paragraphs"][0].split()) in whole
    assert "has scenes 1 to 3" in run("stories", "show", story, "9", code=2).stderr


def test_a_story_that_is_not_there_is_told_with_what_to_do(run: Run, story: str) -> None:
    for command in (("show",), ("export",), ("rename", "x"), ("delete", "--yes"), ("branch", "1")):
        told = run("stories", command[0], "nobody-1", *command[1:], code=2).stderr
        assert "there is no story 'nobody-1'; `narratoria stories list` names those there are" in told


def test_a_branch_goes_its_own_way_and_is_compared_renamed_and_deleted(run: Run, story: str) -> None:
    told = run("stories", "branch", story, "2", "--title", "Otherwise").stdout
    branch = told.split()[0]
    assert f"narratoria play --story {branch}" in told
    run("play", "--story", branch, typed="3\n")
    compared = run("stories", "compare", story, branch).stdout
    assert compared.startswith("2 scenes are the same.")
    assert json.loads(run("stories", "compare", story, branch, "--json").stdout)["common"] == 2
    assert "“Once more”" in run("stories", "rename", branch, "  Once   more ").stdout
    assert "it cannot branch after scene 9" in run("stories", "branch", story, "9", code=2).stderr
    kept = run("stories", "delete", branch, code=1)
    assert "--yes" in kept.stderr
    run("stories", "delete", branch, "--yes")
    assert [each["id"] for each in listed(run)] == [story]


def test_stories_with_one_title_are_told_apart_in_the_list(run: Run, story: str) -> None:
    branch = run("stories", "branch", story, "1").stdout.split()[0]
    titles = {line.split()[0]: line.split("  ")[-1] for line in run("stories", "list").stdout.splitlines()}
    assert titles == {story: "The long <tea> (Ada)", branch: "The long <tea> (Ada, 2)"}
    run("stories", "delete", branch, "--yes")


def test_a_story_goes_out_in_every_form_and_comes_back_in_from_one(run: Run, story: str, home: Path) -> None:
    assert run("stories", "export", story).stdout.startswith("# The long \\<tea\\>")
    for form, begins in (("html", b"<!"), ("epub", b"PK"), ("json", b"{")):
        file = home / f"book.{form}"
        run("stories", "export", story, "--format", form, "-o", str(file))
        assert file.read_bytes().startswith(begins)
    told = run("stories", "import", str(home / "book.json")).stdout
    again = told.split("--story ")[1].rstrip("`\n")
    assert "with 3 scenes" in told
    assert "3 of 3 turns come out byte for byte." in run("replay", again).stdout
    run("stories", "delete", again, "--yes")
    (home / "letter.json").write_text("Dear all", encoding="utf-8")
    assert "this is not JSON" in run("stories", "import", str(home / "letter.json"), code=2).stderr


def test_a_replay_is_exact_and_says_where_a_forgery_differs(run: Run, story: str, home: Path) -> None:
    assert json.loads(run("replay", story, "--json").stdout) == {"turns": 3, "same": 3, "differences": []}
    save = json.loads(run("stories", "export", story, "--format", "json").stdout)
    save["turns"][1]["ended"]["scene"]["paragraphs"][0] = "Nobody said this."
    (home / "forged.json").write_text(json.dumps(save), encoding="utf-8")
    forged = run("stories", "import", str(home / "forged.json")).stdout.split("--story ")[1].rstrip("`\n")
    told = run("replay", forged, code=1).stdout
    assert told.startswith("2 of 3 turns come out byte for byte.")
    assert "turn 2, scene /paragraphs/0: was" in told
    run("stories", "delete", forged, "--yes")


def test_several_stories_play_themselves_at_once_and_add_up(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    given = ("--turns", "4", "--policy", "chaos", "--faults", "0.2", "--jobs", "2", "--report", str(file))
    played = run("autoplay", "comet-tea-room", "tomorrows-post", *given)
    assert "all: 4 turns" in played.stdout
    figures = json.loads(file.read_text())
    assert (figures["turns"], figures["crashes"]) == (4, 0)
    assert sorted(each["campaign"] for each in figures["campaigns"]) == ["comet-tea-room", "tomorrows-post"]
    assert "tomorrows-post" in run("autoplay", "nowhere", "--jobs", "2", code=2).output


def test_autoplay_plays_the_same_story_twice_and_leaves_no_story_behind(run: Run, story: str) -> None:
    first, second = (
        run("autoplay", "comet-tea-room", "--turns", "3", "--seed", "5", "--show").stdout for _ in range(2)
    )
    scenes = first[: first.index("comet-tea-room: 3 turns")]
    assert scenes == second[: len(scenes)]
    assert scenes.count("\n> ") == 3
    assert "never blank: 0 crashes, 0 empty scenes, 0 turns without choices, 0 lost turns" in first
    assert [each["id"] for each in listed(run)] == [story]


@pytest.mark.parametrize(
    "command",
    [
        ("play",),
        ("replay",),
        ("autoplay",),
        ("stories",),
        *(("stories", name) for name in ("list", "show", "rename", "delete", "branch", "compare")),
        *(("stories", name) for name in ("export", "import")),
    ],
    ids=" ".join,
)
def test_help_tells_what_a_command_does_with_each_option(command: tuple[str, ...]) -> None:
    told = CliRunner().invoke(narratoria, [*command, "--help"])
    assert told.exit_code == 0
    for option in re.findall(r"^  (--[a-z-]+)[^\n]*$", told.output, re.MULTILINE):
        line = next(line for line in told.output.split("\n") if line.strip().startswith(option))
        rest = told.output.split(line)[1].split("\n")[1] if not re.search(r"\S  +\S", line) else line
        assert re.search(r"[.;:]|\S  +\S", rest), f"{option} says nothing"
