"""Hosted providers, each spoken to over real HTTP as it speaks; and every way in which they fail."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.calling import CATALOGUE, call, logs, payloads
from tests.skills.bundled.provider_servers import PIECES, Provider, self_signed, served

from narratoria import paths
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState

KINDS = ("ollama", "openai", "claude")
KEY = "sk-a-key-for-tests-0123"
DRAFT = ["You try the door. It gives, with a noise.", "Marten looks up. “You took your time,” he says."]
FACTS: dict[str, Any] = {
    "draft": DRAFT,
    "action": {"kind": "beat", "text": "Try the door"},
    "beat": {"id": "door", "description": DRAFT[0], "outcomes": {}},
    "people": [{"name": "Marten", "perception": 50}],
    "place": {"name": "the boathouse"},
}


async def narrated(
    provider: Provider,
    permissions: tuple[str, ...] = ("model", "network"),
    facts: dict[str, Any] = FACTS,
    **config: Any,
) -> Any:
    """The scene, what was logged, and how long it took."""
    began = time.monotonic()
    outcome, events = await call(
        "storyteller/narrate",
        facts,
        seed=1,
        permissions=list(permissions),
        config={
            "provider": provider.kind,
            "baseUrl": provider.url,
            "apiKey": KEY,
            "patienceSeconds": 1,
            **config,
        },
    )
    assert outcome.ok, outcome.failure
    (told,) = payloads(events, "narration")
    assert "".join(delta["text"] for delta in payloads(events, "narration_delta")) == told["text"]
    assert 2 <= len(told["text"].split("\n\n")) <= 3
    told["notices"] = payloads(events, "notice")
    return {**told, "logs": logs(events), "seconds": time.monotonic() - began, "output": outcome.output}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_provider_tells_the_scene_and_is_asked_as_it_expects(kind: str) -> None:
    with served(Provider(kind)) as provider:
        told = await narrated(provider, model="my-model")
    assert told["text"] == "".join(PIECES).replace(".\n\n", ".\n\n")
    assert told["passages"] == [{"source": "model", "because": "written by my-model"}] * 2
    (asked,) = provider.asked
    assert (
        asked.path
        == {"ollama": "/api/chat", "openai": "/v1/chat/completions", "claude": "/v1/messages"}[kind]
    )
    assert (asked.body["model"], asked.body["stream"]) == ("my-model", True)
    assert asked.headers.get("x-api-key" if kind == "claude" else "authorization", "").endswith(KEY)
    said = json.dumps(asked.body, ensure_ascii=False)
    assert "Marten looks up." in said
    assert "fond of the player" in said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "after", "reason"),
    [
        ("401", 0, "refuses the API key: fault 401"),
        ("429", 0, "wants fewer requests"),
        ("500", 0, "is in trouble (status 500)"),
        ("302", 0, "sends us elsewhere"),
        ("404", 0, "does not know the model"),
        ("hang", 0, "took too long|said nothing"),
        ("cut", 1, "broke off"),
        ("error", 1, "gave up: overloaded"),
        ("garbage", 0, "cannot be read"),
        ("page", 0, "answered with text/html"),
    ],
)
async def test_a_provider_that_fails_costs_a_log_and_never_the_scene(
    kind: str, fault: str, after: int, reason: str
) -> None:
    with served(Provider(kind, fault, after)) as provider:
        told = await narrated(provider)
    assert told["text"].split("\n\n") == DRAFT
    assert any(part in told["logs"][0] for part in reason.split("|")), told["logs"]
    assert told["output"]["steps"][0]["writer"] == kind
    (notice,) = told["notices"]
    assert any(part in notice["message"] for part in reason.split("|"))
    assert KEY not in json.dumps(told)


@pytest.mark.parametrize("fault", ["cut", "hang", "error"])
async def test_what_was_shown_before_a_provider_broke_off_stays_and_the_draft_goes_on(fault: str) -> None:
    async def narrate_with(kind: str) -> dict[str, Any]:
        with served(Provider(kind, fault, after=5 if kind == "claude" else 3)) as provider:
            return await narrated(provider)

    # all at once: one that hangs is waited for
    for kind, told in zip(KINDS, await asyncio.gather(*map(narrate_with, KINDS)), strict=True):
        paragraphs = told["text"].split("\n\n")
        assert paragraphs == ["You lean on the door, and the swollen wood gives.", DRAFT[1]], kind
        assert [passage["source"] for passage in told["passages"]] == ["model", "composer"], kind


async def test_falling_back_is_done_within_ten_seconds_of_patience() -> None:
    """FR-054, SC-009: the clock of the skill itself, with a provider that never says a word."""
    with served(Provider("openai", "hang")) as provider:
        told = await narrated(provider, patienceSeconds=5)
    assert told["text"].split("\n\n") == DRAFT
    assert told["seconds"] < 60  # of a busy machine; the skill's own bound is below ten


async def test_what_contradicts_the_story_is_never_shown() -> None:
    pieces = ("You kick the door in.\n\n", "Captain Nemo shakes your hand, and Marten is gone for good.")
    with served(Provider("openai", pieces=pieces)) as provider:
        told = await narrated(provider)
    assert told["text"].split("\n\n") == ["You kick the door in.", DRAFT[1]]
    assert any("Nemo" in line for line in told["logs"])


async def test_what_was_refused_is_asked_for_again_with_the_reason_and_what_was_told_stays() -> None:
    class Learning(Provider):
        def lines(self) -> Iterator[bytes]:
            second = ("Marten lifts his eyes from the net. “You took your time,” he says.",)
            self.pieces = (
                second
                if len(self.asked) > 1
                else ("You kick the door in.\n\n", "Captain Nemo waves to you from the far end.")
            )
            return super().lines()

    with served(Learning("openai")) as provider:
        told = await narrated(provider)
    first, second = (json.dumps(asked.body, ensure_ascii=False) for asked in provider.asked)
    assert "could not be told" not in first
    assert "could not be told" in second
    assert "Nemo" in second
    assert told["text"].split("\n\n") == [
        "You kick the door in.",
        "Marten lifts his eyes from the net. “You took your time,” he says.",
    ]
    assert [passage["source"] for passage in told["passages"]] == ["model", "model"]


@pytest.mark.parametrize("kind", KINDS)
async def test_what_a_model_thinks_before_it_writes_is_not_told(kind: str) -> None:
    pieces = ("<thi", "nk>The user wants a scene.\n\nI could begin", " with rain.</think>\n\n", *PIECES)
    with served(Provider(kind, pieces=pieces)) as provider:
        told = await narrated(provider)
    assert told["text"] == "".join(PIECES)
    assert len(provider.asked) == 1


async def test_after_three_tries_the_draft_is_told() -> None:
    with served(Provider("openai", pieces=("Captain Nemo waves to you from the far end.",))) as provider:
        told = await narrated(provider)
    assert len(provider.asked) == 3
    assert told["text"].split("\n\n") == DRAFT


async def test_the_brief_reaches_the_model_with_what_stays_the_same_first() -> None:
    facts = {**FACTS, "campaign": {"setting": "The lake is old."}, "memories": [{"summary": "You swam."}]}
    with served(Provider("openai")) as provider:
        await narrated(provider, facts=facts)
    (asked,) = provider.asked
    system, prompt = (message["content"] for message in asked.body["messages"])
    assert "The lake is old." in system
    assert "# An example" in system
    assert prompt.index("the boathouse") < prompt.index("You swam") < prompt.index("Try the door")


BRIEF = {
    "decided": {
        "": {
            "before": ["The bell rings."],
            "after": ["Night falls."],
            "room": 1,
            "options": ["Ask Marten", "Go"],
        }
    }
}
TOLD = (
    "Marten counts the strokes",
    " under his breath.\n\nTRUE NOW: Marten knows the hour.\nNEXT:\n",
    "1: Ask Marten the hour\nnew: Count along\n",
)


async def test_what_the_author_wrote_stands_around_what_a_model_tells() -> None:
    facts = {**FACTS, "draft": ["The bell rings.", "Marten yawns.", "Night falls."], "brief": BRIEF}
    with served(Provider("openai", pieces=TOLD)) as provider:
        told = await narrated(provider, facts=facts)
    assert told["text"].split("\n\n") == [
        "The bell rings.",
        "Marten counts the strokes under his breath.",
        "Night falls.",
    ]
    assert [passage["source"] for passage in told["passages"]] == ["author", "model", "author"]


async def test_what_is_true_now_and_what_may_come_next_are_handed_on() -> None:
    with served(Provider("claude", pieces=TOLD)) as provider:
        told = await narrated(provider, facts={**FACTS, "brief": BRIEF})
    assert told["fact"] == "Marten knows the hour."
    assert told["choices"] == [
        {"option": 1, "text": "Ask Marten the hour"},
        {"option": 0, "text": "Count along"},
    ]


async def test_where_all_of_a_scene_is_the_authors_no_model_is_asked() -> None:
    whole = {"decided": {"": {"before": DRAFT, "room": 0}}}
    with served(Provider("openai")) as provider:
        told = await narrated(provider, facts={**FACTS, "brief": whole})
    assert told["text"].split("\n\n") == DRAFT
    assert provider.asked == []


async def test_nobody_answers_and_a_certificate_that_nobody_trusts(tmp_path: Path) -> None:
    nobody = Provider("openai", url="http://127.0.0.1:9/v1")
    assert "nobody answers there" in (await narrated(nobody))["logs"][0]
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    with served(Provider("claude"), certificate=self_signed(tmp_path)) as provider:
        told = await narrated(provider)
    assert "cannot be trusted" in told["logs"][0]
    assert provider.asked == []


@pytest.mark.parametrize("url", ["ftp://example.org", "http://[", "example.org", "http://example.org/v1"])
async def test_an_address_that_will_not_do_is_refused_before_the_key_leaves(url: str) -> None:
    told = await narrated(Provider("openai", url=url))
    assert told["text"].split("\n\n") == DRAFT
    assert "baseUrl" in told["logs"][0] or "in the clear" in told["logs"][0]


async def test_without_the_permission_nobody_is_asked() -> None:
    with served(Provider("claude")) as provider:
        told = await narrated(provider, permissions=("model",))
    assert provider.asked == []
    assert told["text"].split("\n\n") == DRAFT
    assert "narratoria skills grant storyteller network" in told["logs"][0]


async def test_the_fallback_is_asked_with_its_own_model_and_key() -> None:
    with served(Provider("claude", "401")) as first, served(Provider("ollama")) as second:
        told = await narrated(
            first,
            fallbackProvider="ollama",
            fallbackBaseUrl=second.url,
            fallbackModel="little",
            fallbackApiKey="",
        )
    assert told["passages"][0]["because"] == "written by little"
    assert len(second.asked) == 1
    assert KEY not in json.dumps(second.asked[0].headers)


async def test_another_model_of_the_same_service_can_be_the_fallback() -> None:
    with served(Provider("openai", "404")) as provider:
        await narrated(provider, model="big", fallbackProvider="openai", fallbackModel="small",
                       fallbackBaseUrl=provider.url)  # fmt: skip
    assert [asked.body["model"] for asked in provider.asked] == ["big", "small"]
    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in provider.asked)


async def test_the_same_one_is_not_asked_twice_and_the_key_goes_to_no_other_address() -> None:
    with served(Provider("openai", "401")) as first, served(Provider("openai", "401")) as second:
        await narrated(first, fallbackProvider="openai", fallbackBaseUrl=first.url)
        await narrated(first, fallbackProvider="openai", fallbackBaseUrl=second.url)
    assert (len(first.asked), len(second.asked)) == (2, 1)
    assert KEY not in json.dumps(second.asked[0].headers)


async def test_a_model_that_refuses_a_setting_is_asked_without_it() -> None:
    with served(Provider("openai", "picky")) as provider:
        told = await narrated(provider)
    assert told["text"] == "".join(PIECES)
    assert len(provider.asked) == 3
    assert "max_completion_tokens" in provider.asked[-1].body


async def test_what_other_skills_want_minded_reaches_the_model() -> None:
    with served(Provider("openai")) as provider:
        await narrated(provider, facts={**FACTS, "advice": ["Members of the guild are curt."]})
    assert "Members of the guild are curt." in json.dumps(provider.asked[0].body)


@pytest.mark.parametrize("kind", ["openai", "claude"])
async def test_a_service_that_does_not_stream_is_read_whole(kind: str) -> None:
    with served(Provider(kind, "whole")) as provider:
        assert (await narrated(provider))["text"] == "".join(PIECES)


async def test_in_the_box_the_network_is_there_only_when_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configured for a provider, granted, and used by a plan; without the grant, told locally."""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    folder = tmp_path / "skills" / "storyteller"
    folder.mkdir(parents=True)
    with served(Provider("claude")) as provider:
        config = {"provider": "claude", "baseUrl": provider.url, "apiKey": KEY}
        (folder / "config.json").write_text(json.dumps(config))
        plan = Plan(
            request_id="00000000-0000-4000-8000-000000000001",
            tools=(ToolInvocation(tool_id="narrate", tool_path="skills/storyteller/narrate", input=FACTS),),
        )
        tools = Tools(CATALOGUE)
        refused = await execute(prepare_plan(plan, tools.resolve), SessionState())
        assert provider.asked == []
        assert refused.success
        granted = {"version": 1, "skills": {"storyteller": {"permissions": ["network"]}}}
        (paths.home() / "skills.json").write_text(json.dumps(granted))
        told = await execute(prepare_plan(plan, tools.resolve), SessionState())
    assert told.success
    assert len(provider.asked) == 1
    assert told.tool_results[0].output["text"].startswith("You lean on the door")
    assert KEY not in str(told)
