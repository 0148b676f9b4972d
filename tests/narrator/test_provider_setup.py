"""A provider is set up as a whole, and taken back as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import paths
from narratoria.errors import NarratoriaException
from narratoria.narrator.provider_setup import (
    ProviderChoice,
    consent_question,
    price_hint,
    read_choice,
    use_provider,
    use_this_machine,
)
from narratoria.skills.config import read_config
from narratoria.skills.decisions import granted_permissions, load_decisions
from narratoria.skills.discovery import discover

SKILL = next(skill for skill in discover([paths.BUNDLED_SKILLS]).skills if skill.name == "storyteller")
CLAUDE = ProviderChoice(
    provider="claude", base_url="https://api.anthropic.com", model="claude-haiku-4-5", api_key="sk-1234-5678"
)


def may_use_network(home: Path) -> bool:
    return granted_permissions(SKILL, load_decisions(home)).allows("network")


def test_everything_that_it_needs_is_set_and_taken_back(tmp_path: Path) -> None:
    use_provider(SKILL, tmp_path, CLAUDE)
    values = read_config(SKILL, tmp_path).effective().values
    assert (values["provider"], values["model"], values["apiKey"]) == (
        "claude",
        "claude-haiku-4-5",
        "sk-1234-5678",
    )
    assert (values["inputPrice"], values["outputPrice"]) == (1.0, 5.0)
    assert may_use_network(tmp_path)
    choice = read_choice(SKILL, tmp_path)
    assert choice is not None
    assert (choice.place, choice.api_key) == ("Anthropic", None)
    use_this_machine(SKILL, tmp_path)
    assert read_choice(SKILL, tmp_path) is None
    assert not may_use_network(tmp_path)


def test_a_server_here_is_given_time_to_load_its_model_and_has_no_price(tmp_path: Path) -> None:
    use_provider(SKILL, tmp_path, CLAUDE)
    use_provider(SKILL, tmp_path, ProviderChoice(provider="ollama", model="llama3.2"))
    values = read_config(SKILL, tmp_path).effective().values
    assert values["patienceSeconds"] == 90
    assert (values["inputPrice"], values["outputPrice"]) == (0, 0)
    assert "apiKey" not in values, "it was given for another address"


def test_what_is_agreed_to_says_whether_it_leaves_the_machine() -> None:
    assert "over the network to Anthropic" in consent_question(CLAUDE)
    here = consent_question(ProviderChoice(provider="ollama"))
    assert "sent to Ollama on this machine" in here
    assert "charges" not in here
    assert "sk-1234" not in repr(CLAUDE)


def test_a_price_is_a_hint_for_the_model_it_was_noted_for() -> None:
    hint = price_hint("claude", "", "claude-haiku-4-5")
    assert hint is not None
    assert "not checked since" in hint[1]
    assert price_hint("claude", "", "another-model") is None
    assert price_hint("ollama", "", "llama3.2") is None


def test_a_provider_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NarratoriaException, match="there is no provider 'nobody'"):
        use_provider(SKILL, tmp_path, ProviderChoice(provider="nobody"))
