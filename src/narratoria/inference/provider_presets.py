"""Lists services and local servers that can tell stories, with their addresses and a hint at prices.

Prices and names of models change. Those below were noted on `NOTED` from memory of what the services
published; nobody has checked them since, and whatever shows them says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

NOTED = "2025-10"
SCENE_INPUT, SCENE_OUTPUT = 3_000, 450  # tokens of a usual scene, for a hint


@dataclass(frozen=True, slots=True)
class PriceHint:
    """Holds US dollars for a million tokens, as they were when noted."""

    input: float
    output: float

    @property
    def per_scene(self) -> float:
        return (SCENE_INPUT * self.input + SCENE_OUTPUT * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class ProviderPreset:
    """Describes a service that is reached with a key."""

    name: str
    title: str
    provider: str  # the storyteller's setting: how it speaks
    base_url: str
    model: str  # a usual one; its name may have changed
    key_page: str  # where keys are made
    price: PriceHint | None = None  # of that model
    about: str = ""


@dataclass(frozen=True, slots=True)
class ServerPreset:
    """Describes a program that serves models on this machine, and the port it usually has."""

    name: str
    title: str
    port: int
    provider: str
    start: str  # how it is started, for whoever has it and finds it not running


PROVIDERS = (
    ProviderPreset(
        "anthropic",
        "Anthropic",
        "claude",
        "https://api.anthropic.com",
        "claude-haiku-4-5",
        "https://console.anthropic.com",
        PriceHint(1.00, 5.00),
        "tells well, and reads what stays the same from its cache at a lower price",
    ),
    ProviderPreset(
        "openai",
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        "gpt-4o-mini",
        "https://platform.openai.com",
        PriceHint(0.15, 0.60),
        "quick and cheap",
    ),
    ProviderPreset(
        "openrouter",
        "OpenRouter",
        "openai",
        "https://openrouter.ai/api/v1",
        "meta-llama/llama-3.3-70b-instruct",
        "https://openrouter.ai/keys",
        PriceHint(0.13, 0.40),
        "many models by one key; says what each answer cost",
    ),
    ProviderPreset(
        "mistral",
        "Mistral",
        "openai",
        "https://api.mistral.ai/v1",
        "mistral-small-latest",
        "https://console.mistral.ai",
        PriceHint(0.10, 0.30),
        "a European service",
    ),
    ProviderPreset(
        "groq",
        "Groq",
        "openai",
        "https://api.groq.com/openai/v1",
        "llama-3.3-70b-versatile",
        "https://console.groq.com",
        PriceHint(0.59, 0.79),
        "very quick",
    ),
    ProviderPreset(
        "deepseek",
        "DeepSeek",
        "openai",
        "https://api.deepseek.com/v1",
        "deepseek-chat",
        "https://platform.deepseek.com",
        PriceHint(0.28, 0.42),
        "cheap",
    ),
    ProviderPreset(
        "gemini",
        "Google Gemini",
        "openai",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-flash",
        "https://aistudio.google.com",
        PriceHint(0.30, 2.50),
        "large and quick",
    ),
)

SERVERS = (
    ServerPreset("ollama", "Ollama", 11434, "ollama", "ollama serve"),
    ServerPreset("llama.cpp", "llama.cpp server", 8080, "openai", "llama-server -m model.gguf"),
    ServerPreset("lm-studio", "LM Studio", 1234, "openai", "lms server start"),
    ServerPreset("vllm", "vLLM", 8000, "openai", "vllm serve MODEL"),
    ServerPreset("koboldcpp", "KoboldCpp", 5001, "openai", "koboldcpp model.gguf"),
    ServerPreset("text-generation-webui", "text-generation-webui", 5000, "openai", "start it with --api"),
    ServerPreset("jan", "Jan", 1337, "openai", "switch on its local server"),
    ServerPreset("gpt4all", "GPT4All", 4891, "openai", "switch on its local server"),
    ServerPreset("localai", "LocalAI", 8081, "openai", "local-ai run MODEL"),
)

_USUAL = {
    "ollama": "http://127.0.0.1:11434",
    "openai": PROVIDERS[1].base_url,
    "claude": PROVIDERS[0].base_url,
}


def find_provider(name: str) -> ProviderPreset | None:
    return next((preset for preset in PROVIDERS if preset.name == name.lower()), None)


def name_place(provider: str, base_url: str) -> str:
    """Return the name of the service at an address, or the address where nobody knows a name for it."""
    url = base_url or _USUAL.get(provider, "")
    where = urlsplit(url if "://" in url else f"//{url}")
    for preset in PROVIDERS:
        if urlsplit(preset.base_url).hostname == where.hostname:
            return preset.title
    try:
        port = where.port
    except ValueError:
        port = None
    if not is_loopback(where.hostname or ""):
        return where.netloc or url
    server = next((preset for preset in SERVERS if preset.port == port and preset.provider == provider), None)
    return f"{server.title} on this machine" if server else f"{where.netloc} on this machine"


def needs_key(provider: str, base_url: str) -> bool:
    """Return whether a service is known to answer nobody without a key."""
    host = urlsplit(base_url or _USUAL.get(provider, "")).hostname
    return any(urlsplit(preset.base_url).hostname == host for preset in PROVIDERS)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
