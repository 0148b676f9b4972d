"""One sentence says who tells, and why not another; all that show it show the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm
from tests.web.serving import Server

from narratoria import app, paths
from narratoria.inference.installed_models import InstalledModel
from narratoria.narrator.who_tells import (
    ModelSetup,
    ProviderSetup,
    TellerSetup,
    TellingRecord,
    WhoTells,
    describe_teller,
)
from narratoria.sdk.usage import Usage, UsageLog
from narratoria.skills.decisions import change_decisions
from narratoria.skills.skill import data_dir

OLLAMA = ProviderSetup(provider="ollama", model="llama3.2", network=True)
PHI = ModelSetup(title="Phi", tier="narrates")
SMALL = ModelSetup(title="Small", tier="scores")


def told(*providers: ProviderSetup, model: ModelSetup = SMALL, **more: Any) -> WhoTells:
    return describe_teller(TellerSetup(providers=providers, model=model, **more))


@pytest.mark.parametrize(
    ("teller", "state", "sentence"),
    [
        (told(model=PHI), "tells", "Phi on this machine tells the scenes."),
        (
            told(model=ModelSetup(title="Mid", tier="embellishes")),
            "partly",
            "Mid on this machine tells only what you do in your own words; "
            "other scenes are told in the campaign's own words.",
        ),
        (
            told(),
            "none",
            "Scenes are told in the campaign's own words; Small is too small to tell them and only helps to "
            "choose.",
        ),
        (
            told(model=ModelSetup()),
            "none",
            "Scenes are told in the campaign's own words: "
            "no language model is here and no provider is set up.",
        ),
        (
            told(model=ModelSetup(title="Phi", state="loading")),
            "preparing",
            "Phi is being made ready; until then scenes are told in the campaign's own words.",
        ),
        (
            told(model=ModelSetup(title="Phi", state="failed", reason="its file is damaged")),
            "blocked",
            "Phi cannot be used, so scenes are told in the campaign's own words: its file is damaged.",
        ),
        (told(OLLAMA), "tells", "llama3.2 at Ollama on this machine tells from the next scene on."),
        (
            told(OLLAMA, recent=(TellingRecord(by_model=True),)),
            "tells",
            "llama3.2 at Ollama on this machine tells the scenes.",
        ),
        (
            told(ProviderSetup(provider="ollama", model="llama3.2"), model=PHI),
            "blocked",
            "llama3.2 at Ollama on this machine is set up and does not tell, because the storyteller may not "
            "use the network; Phi on this machine tells instead.",
        ),
        (
            told(ProviderSetup(provider="claude", model="haiku", network=True)),
            "blocked",
            "haiku at Anthropic is set up and does not tell, because Anthropic needs an API key "
            "and none is set for it; scenes are told in the campaign's own words.",
        ),
        (
            told(OLLAMA, recent=(TellingRecord(by_model=False, reasons={"ollama": "nobody answers there"}),)),
            "blocked",
            "llama3.2 at Ollama on this machine is set up and does not tell, because the last scene "
            "was not told by it: nobody answers there; scenes are told in the campaign's own words.",
        ),
        (
            told(problem="it is switched off"),
            "blocked",
            "The storyteller cannot be used, so scenes are told in the campaign's own words: "
            "it is switched off.",
        ),
    ],
)
def test_who_tells_is_said_in_one_sentence(teller: WhoTells, state: str, sentence: str) -> None:
    assert (teller.state, teller.sentence) == (state, sentence)
    assert state in ("tells", "preparing") or teller.advice or "asked again" in sentence


def test_where_a_scene_is_sent_is_said_and_nothing_where_it_stays() -> None:
    assert told(OLLAMA).sends == "Ollama on this machine"
    router = ProviderSetup(
        provider="openai", model="m", base_url="https://openrouter.ai/api/v1", has_key=True, network=True
    )
    assert told(router).sends == "OpenRouter"
    assert told(model=PHI).sends == ""
    assert told(ProviderSetup(provider="claude")).sends == ""


@pytest.fixture
def home(tmp_path: Path, embedded: InstalledModel, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def set_up(home: Path, **config: Any) -> None:
    folder = home / "skills" / "storyteller"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))


def test_the_settings_the_permission_and_the_budget_are_read(home: Path) -> None:
    assert app.who_tells().state == "none"
    set_up(home, provider="ollama", model="llama3.2", budgetTokens=1000)
    assert "may not use the network" in app.who_tells().sentence
    change_decisions(home, lambda before: before.with_granted("storyteller", ["network"]))
    assert app.who_tells().state == "tells"
    log = UsageLog(str(data_dir("storyteller")))
    log.add(story="s", provider="ollama", model="llama3.2", usage=Usage(1, 900, 0, 200))
    teller = app.who_tells()
    assert (teller.state, teller.teller) == ("blocked", "campaign")
    assert "because today's budget of 1,000 tokens is used up" in teller.sentence
    change_decisions(home, lambda before: before.with_enabled("storyteller", enabled=False))
    assert "it is switched off" in app.who_tells().sentence


def test_the_list_the_doctor_and_the_page_say_the_same(home: Path) -> None:
    set_up(home, provider="claude", model="claude-haiku-4-5")
    change_decisions(home, lambda before: before.with_granted("storyteller", ["network"]))
    sentence = app.who_tells().sentence
    assert "needs an API key" in sentence
    for command in (["model", "list"], ["doctor"]):
        shown = run_warm("narratoria.cli", *command, text=True)
        assert sentence in shown.stdout
    assert paths.home() == home
    server = Server(home).start()
    try:
        for path in ("/api/home", "/api/models"):
            assert server.get(path)["teller"]["sentence"] == sentence
        assert server.get("/api/teller")["sentence"] == sentence
    finally:
        server.stop()
