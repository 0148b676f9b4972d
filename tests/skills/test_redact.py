from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.errors import PlanRejected
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, PlanProgress, PlanRequest, RetryPolicy, ToolInvocation
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.replan import Fallback, PlanOutcome, run_replan_loop
from narratoria.protocol.events import DoneEvent, LogEvent
from narratoria.skills.config import change_config
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import discover
from narratoria.skills.redact import MASK, Concealed, Redactor
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState

SECRET = 'sk-"51Hx\\9Q2e/Vf7é+zz'
SCHEMA = {
    "type": "object",
    "properties": {
        "apiKey": {"type": "string", "format": "password"},
        "url": {"type": "string"},
        "style": {"type": "string", "enum": ["terse", "vivid"], "default": "vivid"},
    },
}

GOSSIP = """\
import json, sys
request = json.load(sys.stdin)
config, data = request["context"]["config"], request["context"]["dataDir"]
open(data + "/told.json", "w").write(json.dumps(config))
def emit(kind, **fields):
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)
emit("log", level="info", message="using " + config["apiKey"], fields={"config": config})
emit("state_patch", patch={"seen": {config["apiKey"]: [config["url"]]}})
emit("ui_event", event="note", payload={"as JSON": json.dumps(json.dumps(config))})
print(config, file=sys.stderr)
if request["input"].get("fail"):
    emit("error", errorCode="REFUSED", errorMessage="bad key " + config["apiKey"], details=config)
    raise SystemExit("Traceback: " + repr(config["apiKey"]))
emit("done", ok=True, summary=config["url"], output={"echo": config})
"""


# values


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@given(value=json_values, around=st.tuples(st.text(max_size=5), st.text(max_size=5)), at=st.integers(0, 3))
def test_a_secret_is_found_wherever_it_stands(value: Any, around: tuple[str, str], at: int) -> None:
    before, after = around
    said = f"{before}{SECRET}{after}"
    shapes = [said, {"a": [said, value]}, {said: value}, {"nested": json.dumps({"again": said})}]
    text = json.dumps(Redactor([SECRET])(shapes[at]), ensure_ascii=False)
    assert SECRET not in text
    assert json.dumps(SECRET, ensure_ascii=False)[1:-1] not in text
    assert MASK in text


@given(value=json_values)
def test_what_holds_no_secret_stays_as_it_is(value: Any) -> None:
    assert Redactor(["a-secret-of-some-length"])(value) == value
    assert Redactor()(value) is value


def test_events_keep_their_kind_and_the_words_of_the_protocol() -> None:
    redact = Redactor(["info", "0000"])
    event = LogEvent(version="0", level="info", message="for your info")
    assert redact(event) == LogEvent(version="0", level="info", message=f"for your {MASK}")
    done = DoneEvent(version="0", ok=True, output={"pin": "0000", "count": 1})
    assert msgspec.to_builtins(redact(done))["output"] == {"pin": MASK, "count": 1}


def test_a_long_secret_is_known_by_its_beginning_where_a_text_was_cut_off() -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz"
    assert Redactor([secret])(f"'{secret[:20]}…' is no level") == f"'{MASK}' is no level"
    assert Redactor([secret]).tail(f"{secret[10:]} and more") == f"{MASK} and more"


def test_very_short_secrets_do_not_tear_words_apart() -> None:
    assert Redactor(["abc"])("an abcess") == "an abcess"


def test_a_word_that_stands_for_no_key_at_all_is_left_in_a_story() -> None:
    redact = Redactor(["none", "Ollama"])
    assert redact("He has none to spare.") == "He has none to spare."


def test_nothing_shows_a_secret_when_it_is_printed() -> None:
    assert SECRET not in repr([Redactor([SECRET]), Concealed(apiKey=SECRET), str(Concealed(apiKey=SECRET))])
    assert msgspec.json.decode(msgspec.json.encode(Concealed(apiKey=SECRET))) == {"apiKey": SECRET}


# a plan whose tool tells everything it knows


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GOSSIP_TOKEN", "token-from-the-environment")
    return tmp_path / "home"


@pytest.fixture
def tools(tmp_path: Path, home: Path, make_skill: Any) -> Tools:
    files = {"scripts/tell.py": GOSSIP, "config-schema.json": json.dumps(SCHEMA)}
    scripts = [{"name": "tell", "path": "tell.py"}]
    make_skill(tmp_path / "skills", "gossip", files, scripts=scripts)
    make_skill(tmp_path / "skills", "other", {"scripts/tell.py": GOSSIP}, scripts=scripts)
    tools = Tools(discover([tmp_path / "skills"]))
    gossip = tools.catalogue.skill("gossip")
    assert gossip
    change_config(
        gossip, home, {"apiKey": SECRET, "url": "https://example.org/?t=${GOSSIP_TOKEN}"}, in_terminal=True
    )
    return tools


def plan(**input: Any) -> Plan:
    call = ToolInvocation(
        tool_id="a", tool_path="gossip/tell", input=input, retry_policy=RetryPolicy(max_retries=0)
    )
    return Plan(request_id="7d3c2f5e-0000-4000-8000-000000000001", tools=(call,))


class Planner:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.offered = plan, []  # type: ignore[var-annotated]

    async def generate(self, request: PlanRequest) -> Plan:
        self.offered.append([skill.name for skill in request.skills])
        return self.plan


def leaks(text: str) -> list[str]:
    spellings = [
        SECRET,
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        repr(SECRET)[1:-1],
    ]
    return [s for s in (*spellings, "token-from-the-environment", "51Hx") if s in text]


@pytest.mark.parametrize("fail", [False, True])
async def test_a_tool_gets_its_secrets_and_none_of_them_reaches_trace_journal_or_listeners(
    fail: bool, tools: Tools, home: Path
) -> None:
    heard: list[PlanProgress] = []
    outcome = await run_replan_loop(
        "gossip",
        SessionState(),
        planner=Planner(plan(fail=fail)),
        skills=tools.offered(),
        resolve=tools.resolve,
        execute=lambda prepared, state: execute(prepared, state, on_progress=heard.append),
        plan_log=PlanLog(home / "logs"),
    )
    given = json.loads((home / "skills" / "gossip" / "data" / "told.json").read_text())
    assert given == {
        "apiKey": SECRET,
        "url": "https://example.org/?t=token-from-the-environment",
        "style": "vivid",
    }
    assert isinstance(outcome, Fallback if fail else PlanOutcome)
    written = (home / "logs" / "plans.jsonl").read_text(encoding="utf-8")
    assert MASK in written
    assert leaks(written) == []
    assert leaks(repr(outcome)) == []
    assert leaks(repr(heard)) == []
    if isinstance(outcome, PlanOutcome):
        assert leaks(outcome.result.to_json().decode()) == []


def test_neither_a_tool_nor_its_settings_show_a_secret_when_printed(tools: Tools) -> None:
    tool = tools.resolve("gossip/tell")
    assert tool.context["config"]["apiKey"] == SECRET
    assert leaks(repr(tool)) == []
    assert leaks(repr(prepare_plan(plan(), tools.resolve))) == []


async def test_what_was_set_holds_from_the_next_plan_on(tools: Tools, home: Path) -> None:
    gossip = tools.catalogue.skill("gossip")
    assert gossip
    change_config(gossip, home, {"style": "terse"})
    assert tools.resolve("gossip/tell").context["config"]["style"] == "terse"


# skills that may not be used


def test_a_disabled_skill_is_neither_offered_nor_run(tools: Tools, home: Path) -> None:
    change_decisions(home, lambda settings: settings.with_enabled("gossip", False))
    assert [skill.name for skill in tools.offered()] == ["other"]
    with pytest.raises(PlanRejected) as caught:
        prepare_plan(plan(), tools.resolve)
    assert "'gossip' is disabled; `narratoria skills enable gossip` turns it on" in str(caught.value)
    change_decisions(home, lambda settings: settings.with_enabled("gossip", True))
    assert prepare_plan(plan(), tools.resolve)


def test_a_misconfigured_skill_is_told_and_left_out_and_the_others_go_on(tools: Tools, home: Path) -> None:
    (home / "skills" / "gossip" / "config.json").write_text('{\n"style": "loud"}')
    assert [skill.name for skill in tools.offered()] == ["other"]
    assert [(p.line, p.pointer) for p in tools.warnings()] == [(2, "/style")]
    with pytest.raises(PlanRejected, match=r"not configured.*/style: 'loud' is not a style"):
        prepare_plan(plan(), tools.resolve)
    assert tools.resolve("other/tell").context["config"] == {}


def test_a_skill_with_a_broken_schema_is_told_and_left_out(tools: Tools) -> None:
    gossip = tools.catalogue.skill("gossip")
    assert gossip
    (gossip.folder / "config-schema.json").write_text("{")
    assert [skill.name for skill in tools.offered()] == ["other"]
    assert "ends too early" in str(tools.warnings()[0])


def test_the_data_folder_is_made_on_first_use_and_closed_to_others(tools: Tools, home: Path) -> None:
    folder = home / "skills" / "other" / "data"
    assert not folder.exists()
    assert tools.resolve("other/tell").context["dataDir"] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
