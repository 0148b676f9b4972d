"""Services and servers are known by their addresses, and their prices are hints."""

from __future__ import annotations

import pytest

from narratoria.inference.provider_presets import (
    PROVIDERS,
    SERVERS,
    find_provider,
    is_loopback,
    name_place,
    needs_key,
)


def test_every_service_is_encrypted_named_once_and_has_a_hint_at_its_price() -> None:
    assert len({preset.name for preset in PROVIDERS}) == len(PROVIDERS)
    assert len({preset.port for preset in SERVERS}) == len(SERVERS)
    assert all(preset.base_url.startswith("https://") for preset in PROVIDERS)
    assert all(preset.price is None or 0 < preset.price.per_scene < 0.1 for preset in PROVIDERS)
    assert {"anthropic", "openai", "openrouter"} <= {preset.name for preset in PROVIDERS}
    assert find_provider("Anthropic") is PROVIDERS[0]
    assert find_provider("nobody") is None


@pytest.mark.parametrize(
    ("provider", "address", "name"),
    [
        ("claude", "", "Anthropic"),
        ("openai", "", "OpenAI"),
        ("ollama", "", "Ollama on this machine"),
        ("openai", "http://localhost:1234/v1", "LM Studio on this machine"),
        ("openai", "http://127.0.0.1:11434/v1", "127.0.0.1:11434 on this machine"),
        ("openai", "http://127.0.0.1:77777/v1", "127.0.0.1:77777 on this machine"),
        ("openai", "https://openrouter.ai/api/v1", "OpenRouter"),
        ("openai", "https://api.example.com/v1", "api.example.com"),
        ("ollama", "http://192.168.0.4:11434", "192.168.0.4:11434"),
    ],
)
def test_a_place_has_the_name_that_people_know(provider: str, address: str, name: str) -> None:
    assert name_place(provider, address) == name


def test_known_services_need_a_key_and_servers_here_do_not() -> None:
    assert needs_key("claude", "")
    assert needs_key("openai", "https://openrouter.ai/api/v1")
    assert not needs_key("ollama", "")
    assert not needs_key("openai", "http://127.0.0.1:8080/v1")


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("", False)],
)
def test_this_machine_is_told_from_others(host: str, here: bool) -> None:
    assert is_loopback(host) is here
