"""Every example of every page is run or checked by some test, or stands in a list with the reason why not."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.docs.blocks import REPOSITORY, Block, all_blocks, named, pages
from tests.docs.walk import run_commands, walk
from tests.web.serving import Server

from narratoria import contracts, paths
from narratoria.campaign.pages import read_page, read_rules
from narratoria.cli.commands import narratoria
from narratoria.mctl.cli import mctl
from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import check_tool
from narratoria.web.service_config import PREFIX, SETTINGS

HERE = Path(__file__).relative_to(REPOSITORY).as_posix()
ILLUSTRATIONS = {"", "text", "markdown"}  # trees of folders, pictures of letters, lines from a log

# pages whose files are saved and whose console blocks are run and compared, and by which test
WALKED = {
    "docs/tutorial/write-a-campaign.md": "tests/docs/test_write_a_campaign.py",
    "docs/tutorial/write-a-skill.md": "tests/docs/test_write_a_skill.py",
    "docs/tutorial/write-a-tool.md": "tests/docs/test_tutorial.py",
    "docs/how-to/choose-a-model.md": "tests/docs/test_choose_a_model.py",
    "docs/how-to/export-a-story.md": "tests/docs/test_story_how_tos.py",
    "docs/how-to/fill-up-a-campaign.md": "tests/docs/test_campaign_how_tos.py",
    "docs/how-to/import-a-campaign.md": "tests/docs/test_campaign_how_tos.py",
    "docs/how-to/install-a-skill.md": "tests/docs/test_story_how_tos.py",
    "docs/how-to/look-after-memories.md": "tests/docs/test_look_after_memories.py",
    "docs/how-to/move-a-home.md": "tests/docs/test_story_how_tos.py",
    "docs/how-to/run-a-plan.md": "tests/docs/test_run_a_plan.py",
    "docs/how-to/share-a-campaign.md": "tests/docs/test_campaign_how_tos.py",
    "docs/how-to/use-an-mcp-server.md": "tests/docs/test_story_how_tos.py",
    "docs/how-to/use-m-control.md": HERE,
}
# blocks of other pages, by page and language
CHECKED = {
    ("README.md", "make"): HERE,
    ("CONTRIBUTING.md", "make"): HERE,
    ("docs/index.md", "make"): HERE,
    ("docs/tutorial/first-story.md", "make"): HERE,
    ("docs/tutorial/first-story.md", "sh"): HERE,
    ("docs/how-to/choose-a-storyteller.md", "sh"): HERE,
    ("docs/how-to/find-what-is-wrong.md", "sh"): HERE,
    ("docs/how-to/encrypt-a-home.md", "sh"): "tests/docs/test_encrypt_a_home.py",
    ("docs/how-to/play-from-a-program.md", "python"): HERE,
    ("docs/how-to/play-from-a-program.md", "sh"): HERE,
    ("docs/how-to/play-from-an-mcp-client.md", "json"): "tests/docs/test_play_from_an_mcp_client.py",
    ("docs/how-to/play-from-an-mcp-client.md", "python"): "tests/docs/test_play_from_an_mcp_client.py",
    ("docs/how-to/play-from-an-mcp-client.md", "sh"): "tests/docs/test_play_from_an_mcp_client.py",
    ("docs/how-to/see-what-is-planned.md", "sh"): HERE,
    ("docs/how-to/use-postgresql.md", "console"): "tests/docs/test_use_postgresql.py",
    ("docs/how-to/write-for-one-person.md", "json"): "tests/docs/test_write_for_questions.py",
    ("docs/how-to/write-for-one-person.md", "sh"): HERE,
    ("docs/how-to/write-for-questions.md", "json"): "tests/docs/test_write_for_questions.py",
    ("docs/reference/commands.md", "sh"): "tests/docs/test_commands_page.py",
    ("docs/reference/events.md", "json story"): "tests/docs/test_events_page.py",
    ("docs/reference/host-channel.md", "bash"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/host-channel.md", "json"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/host-channel.md", "json host.hello"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/host-channel.md", "json model.generate"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/host-channel.md", "json store.semanticSearch"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/host-channel.md", "python"): "tests/skills/host/test_host_docs.py",
    ("docs/reference/http-api.md", "sh"): HERE,
    ("docs/reference/plans.md", "json"): "tests/docs/test_run_a_plan.py",
    ("docs/reference/skill-configuration.md", "json"): HERE,
    ("docs/reference/tool-protocol.md", "bash"): HERE,
    ("docs/reference/tool-protocol.md", "json"): "tests/meta/test_docs_are_generated.py",
    ("docs/reference/tool-protocol.md", "json mctl"): "tests/meta/test_docs_are_generated.py",
    ("examples/README.md", "sh"): HERE,
}
# what no test can run as it stands; the names of commands and options are checked all the same
NOT_RUN = {
    ("docs/how-to/choose-a-model.md", "sh"): "fetches gigabytes; tests/cli fetches small files",
    (
        "docs/how-to/back-up-a-service.md",
        "sh",
    ): "needs images; tests/docs/test_use_postgresql.py dumps and restores",
    ("docs/how-to/run-a-service.md", "sh"): "needs images; tests/cli/test_serve.py runs the service",
    ("docs/how-to/play-in-the-browser.md", "sh"): "serves until it is stopped; tests/web does so",
}


def shown() -> list[Block]:
    return [block for block in all_blocks() if block.kind not in ILLUSTRATIONS]


def is_walked(block: Block) -> bool:
    return block.page in WALKED and (block.language == "console" or bool(block.name))


def test_every_example_is_run_or_checked_or_says_why_not():
    missing = [
        str(block)
        for block in shown()
        if not is_walked(block)
        and (block.page, block.kind) not in CHECKED
        and (block.page, block.kind) not in NOT_RUN
    ]
    assert missing == [], "name the test in this file that runs it, or the reason in NOT_RUN"


def test_no_list_speaks_of_what_is_not_there():
    there = {(block.page, block.kind) for block in shown()}
    assert [entry for entry in (*CHECKED, *NOT_RUN) if entry not in there] == []
    assert [page for page in WALKED if not any(block.page == page for block in shown())] == []


@pytest.mark.parametrize(
    ("page", "test"), sorted({*WALKED.items(), *((page, test) for (page, _), test in CHECKED.items())})
)
def test_the_test_that_is_named_knows_the_page(page: str, test: str):
    source = (REPOSITORY / test).read_text(encoding="utf-8")
    # commands.toml and events.toml are what those two pages' examples are made from
    assert Path(page).name in source or Path(page).with_suffix(".toml").name in source


# commands, wherever a page names one


def commands_in(text: str) -> list[str]:
    """What is typed: whole lines of blocks, and pieces of code in sentences."""
    spans = re.findall(r"`((?:narratoria|mctl) [^`\n]+)`", text)
    lines = re.findall(r"^(?:\$ )?(?:[A-Z_]+=\S+ )?((?:narratoria|mctl) [^\n]+)$", text, re.MULTILINE)
    piped = re.findall(r"^[^|\n].*?(?:\| |\$\()((?:narratoria|mctl) [^\n|)]+)", text, re.MULTILINE)
    return [*spans, *lines, *piped]


def unknown_words(typed: str) -> list[str]:
    """The commands and options in it that do not exist."""
    words = re.split(r"\s+", re.split(r"\s#|[|;<>&]| 2>", typed)[0].strip())
    command: click.Command = {"narratoria": narratoria, "mctl": mctl}[words.pop(0)]
    context = click.Context(command)
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z-]+", words[0]):
        if words[0].startswith("-"):
            break
        below = command.get_command(context, name := words.pop(0))
        if below is None:
            return [name]
        command = below
    known = {
        "--help",
        "-h",
        *(option for one in command.params for option in (*one.opts, *one.secondary_opts)),
    }
    given = (re.fullmatch(r"\[?(--?[a-zA-Z][a-z-]*)(?:=.*)?[\],.]*", word) for word in words)
    return [found[1] for found in given if found and found[1] not in known]


@pytest.mark.parametrize("page", [page.relative_to(REPOSITORY).as_posix() for page in pages()])
def test_every_command_that_a_page_names_exists_with_its_options(page: str):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    wrong = {typed: unknown for typed in commands_in(text) if (unknown := unknown_words(typed))}
    assert wrong == {}


def test_an_option_that_is_not_there_is_noticed():
    assert unknown_words("narratoria skills config set memory --unsett key") == ["--unsett"]
    assert unknown_words("narratoria skill list") == ["skill"]
    assert unknown_words("mctl run ID --json  # so") == []


# make


def targets() -> set[str]:
    lines = (REPOSITORY / "Makefile").read_text(encoding="utf-8").splitlines()
    return {line.partition(":")[0] for line in lines if re.match(r"[a-z-]+:.*## ", line)}


def test_every_target_of_make_is_told_of_and_every_one_told_of_is_there():
    told = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    named = set(re.findall(r"(?<![\w-])make ([a-z]+(?:-[a-z]+)*)(?=[ `\n]|$)", told))
    typed = set(re.findall(r"(?:^|`)make ([a-z]+(?:-[a-z]+)*)", told, re.MULTILINE))
    assert sorted(targets() - named) == []
    assert sorted(typed - targets()) == []


# shell


def ran(page: str, folder: Path, *, stdin: str = "") -> list[tuple[int, str]]:
    """The exit code and the output of each block of shell on a page."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return [
        (done.returncode, done.stdout.decode())
        for text in named(page, "sh")
        for done in [
            subprocess.run(
                ["bash", "-e", "-c", text],
                cwd=folder,
                env={**os.environ, "PATH": path},
                input=stdin.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        ]
    ]


@pytest.mark.slow
def test_the_examples_are_run_as_their_page_says():
    (code, tools), (mctl_code, mctl_said), (hand_code, by_hand) = ran("examples/README.md", REPOSITORY)
    assert (code, mctl_code, hand_code) == (0, 0, 0)
    assert "lantern" in tools
    assert tools.count("keeps to the protocol") == 2
    assert "hello-python" in mctl_said
    assert "Ada" in mctl_said
    assert '"type":"done"' in by_hand.replace(" ", "")


def test_a_storyteller_is_chosen_as_its_page_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    style, *_ = (
        code for code, _ in ran("docs/how-to/choose-a-storyteller.md", tmp_path, stdin="a-secret-key\n")
    )
    assert style == 0  # the other commands want somebody who answers, or a service
    page = (REPOSITORY / "docs/how-to/choose-a-storyteller.md").read_text(encoding="utf-8")
    connect = next(line for line in page.splitlines() if "api.example.com" in line)
    run_commands([f"printf 'a-secret-key\\n' | {connect} --yes"], tmp_path)
    said = run_commands(["narratoria skills config get storyteller"], tmp_path)
    assert "my-model" in said
    assert "a-secret-key" not in said


def test_what_is_wrong_is_looked_for_as_its_page_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    (code, health), *others = ran("docs/how-to/find-what-is-wrong.md", tmp_path)
    assert "your home: " in health
    assert [code, *(code for code, _ in others)] == [0, 0, 0], health


@pytest.mark.slow
def test_plans_are_shown_as_their_page_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    ((code, said),) = ran("docs/how-to/see-what-is-planned.md", tmp_path)
    assert code == 0
    assert "dice-roller/roll-dice" in said
    (line,) = named("docs/how-to/see-what-is-planned.md", "text")
    figures = re.compile(r" *\d+%| \d\.\d+|(?<=\()\d\.\d+")
    explained = run_commands(["narratoria plan 'I pick the lock' --explain"], tmp_path)
    assert figures.sub(" N", line.rstrip()) in [figures.sub(" N", row) for row in explained.splitlines()]


@pytest.mark.slow
def test_a_copy_of_a_campaign_is_played_as_the_first_tutorial_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    copied = tmp_path / "src/narratoria/bundled/campaigns/tomorrows-post"
    shutil.copytree(REPOSITORY / copied.relative_to(tmp_path), copied)
    done = ran("docs/tutorial/first-story.md", tmp_path, stdin="q\n")
    assert [code for code, _ in done] == [0, 0, 0], done
    assert "A telegram lies on the counter." in done[-1][1]


def test_the_api_is_asked_as_its_page_says(tmp_path):
    (line,) = named("docs/reference/http-api.md", "sh")
    server = Server(tmp_path / "home").start()
    try:
        typed = line.replace("$TOKEN", server.token).replace("8719", str(server.port))
        said = subprocess.run(
            [*shlex.split(typed), "--silent", "--fail"], capture_output=True, check=True
        ).stdout
    finally:
        server.stop()
    assert b'"campaigns"' in said


@pytest.mark.slow
def test_a_program_plays_as_its_page_says(tmp_path):
    page = "docs/how-to/play-from-a-program.md"
    (program,) = named(page, "python")
    (tmp_path / "play.py").write_text(program, encoding="utf-8")
    start, play = named(page, "sh")
    assert start.split()[:3] == ["narratoria", "play", "--no-browser"]  # as Server starts it, on a free port
    server = Server(tmp_path / "home").start()
    try:
        typed = play.replace("TOKEN", server.token).replace("8719", str(server.port))
        said = run_commands([typed.strip()], tmp_path)
    finally:
        server.stop()
    assert said.count("\n> ") == 3
    assert "The pass closed at noon." in said


def test_the_steps_with_m_control_show_what_the_page_shows(tmp_path, monkeypatch):
    page = "docs/how-to/use-m-control.md"
    monkeypatch.setenv("M_CONTROL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("M_CONTROL_TOOLS_ROOT", raising=False)
    (tmp_path / "harbour").mkdir()

    def steady(text: str) -> str:
        text = text.replace(str(tmp_path / "harbour"), "/tmp/walk/harbour")
        text = re.sub(r'"ts": "[^"]+"', '"ts": NOW', text)
        return re.sub(r"^  (ok|note) +(node|python|powershell|dotnet):.*\n", "", text, flags=re.MULTILINE)

    for session in walk(REPOSITORY / page, tmp_path / "harbour"):
        assert steady(session.happened) == steady(session.shown)


# documents


@pytest.mark.parametrize("number", range(2))
def test_a_schema_on_the_page_about_settings_keeps_its_contract(number: int):
    schemas = named("docs/reference/skill-configuration.md", "json")
    assert len(schemas) == 2
    assert contracts.check("config-schema-meta", schemas[number]) == ()


async def test_the_smallest_tool_of_the_protocol_passes_the_kit(tmp_path):
    (source,) = named("docs/reference/tool-protocol.md", "bash")
    (tmp_path / "torch.sh").write_text(source, encoding="utf-8")
    report = await check_tool(command_for(tmp_path / "torch.sh"), tool="torch.sh", samples=[{}])
    assert (report.failures, report.warnings) == ((), ())


def test_the_rules_on_the_page_about_campaigns_replace_the_usual_ones():
    text = next(text for text in named("docs/reference/campaigns.md", "") if "yaml rules" in text)
    rules, findings = read_rules(read_page(text), "world/rules.md")
    assert findings == ()
    assert rules.modifiers.stat == "half"


def test_every_variable_that_is_read_is_told_of_and_every_one_told_of_is_read():
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "src" / "narratoria").rglob("*")
        if path.suffix in (".py", ".json") and "static" not in path.parts
    )
    read = set(re.findall(r"""["']((?:NARRATORIA|M_CONTROL)_[A-Z_]+)["']""", source))
    read |= {f"{PREFIX}{name.upper()}" for name in SETTINGS}  # which are put together
    page = (REPOSITORY / "docs/reference/environment.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`((?:NARRATORIA|M_CONTROL)_[A-Z_]+)", page))
    assert len(read) > 10
    assert read == told


def test_every_bundled_skill_is_told_of_with_its_scripts_and_its_settings():
    page = (REPOSITORY / "docs/reference/bundled-skills.md").read_text(encoding="utf-8")
    for folder in paths.BUNDLED_SKILLS.iterdir():
        if not (folder / "skill.json").exists():
            continue
        told = page.partition(f"\n## {folder.name}\n")[2].partition("\n## ")[0]
        manifest = json.loads((folder / "skill.json").read_text(encoding="utf-8"))
        schema = json.loads((folder / "config-schema.json").read_text(encoding="utf-8"))
        assert all(f"| `{script['name']}` |" in told for script in manifest["scripts"]), folder.name
        assert all(re.search(rf"^\| `{key}[`.]", told, re.MULTILINE) for key in schema["properties"])
