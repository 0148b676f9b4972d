"""Writes who can tell: the sentences of `narratoria.narrator.who_tells`, the models, services and servers."""

from __future__ import annotations

from narratoria.inference.catalogue import CATALOGUE
from narratoria.inference.provider_presets import NOTED, PROVIDERS, SERVERS
from narratoria.narrator.who_tells import (
    ModelSetup,
    ProviderSetup,
    TellerSetup,
    TellingRecord,
    describe_teller,
)
from narratoria.terminal import format_size

_SMALL = ModelSetup(title="SmolLM2 135M Instruct", tier="scores")
_PHI = ModelSetup(title="Phi-3.5 mini Instruct", tier="narrates")
_OLLAMA = ProviderSetup(provider="ollama", model="llama3.2", network=True)
_CLAUDE = ProviderSetup(provider="claude", model="claude-haiku-4-5", network=True, has_key=True)
_SETUPS = (
    ("what ships", TellerSetup(model=_SMALL)),
    ("no model at all", TellerSetup()),
    ("a model that was found fit to tell", TellerSetup(model=_PHI)),
    (
        "a model that was found fit for a paragraph",
        TellerSetup(model=ModelSetup(title="Qwen2.5 Coder 1.5B Instruct", tier="embellishes")),
    ),
    ("a model that nobody has examined", TellerSetup(model=ModelSetup(title="My model"))),
    (
        "a model that is being loaded",
        TellerSetup(model=ModelSetup(title="Phi-3.5 mini Instruct", state="loading")),
    ),
    (
        "a model whose file is damaged",
        TellerSetup(model=ModelSetup(title="My model", state="failed", reason="its file is damaged")),
    ),
    ("Ollama", TellerSetup(providers=(_OLLAMA,), model=_SMALL)),
    (
        "Ollama, not permitted",
        TellerSetup(providers=(ProviderSetup(provider="ollama", model="llama3.2"),), model=_PHI),
    ),
    (
        "Ollama, not started",
        TellerSetup(
            providers=(_OLLAMA,),
            model=_SMALL,
            recent=(
                TellingRecord(
                    by_model=False, reasons={"ollama": "Ollama cannot be reached: nobody answers there"}
                ),
            ),
        ),
    ),
    (
        "Anthropic without a key",
        TellerSetup(
            providers=(ProviderSetup(provider="claude", model="claude-haiku-4-5", network=True),),
            model=_SMALL,
        ),
    ),
    (
        "Anthropic, its budget used up",
        TellerSetup(
            providers=(
                ProviderSetup(
                    provider="claude",
                    model="claude-haiku-4-5",
                    network=True,
                    has_key=True,
                    spent="today's budget of 50,000 tokens is used up",
                ),
            ),
            model=_SMALL,
        ),
    ),
    ("Anthropic", TellerSetup(providers=(_CLAUDE,), model=_SMALL, recent=(TellingRecord(by_model=True),))),
)


def tellers() -> str:
    rows = (f"| {name} | {describe_teller(setup).sentence} |" for name, setup in _SETUPS)
    return "\n".join(("| set up | the sentence |", "| --- | --- |", *rows))


def catalogue_models() -> str:
    head = ("| name | model | size | memory | licence | good for | checked |", "|" + " --- |" * 7)
    rows = (
        f"| `{entry.name}` | {entry.title} | {format_size(entry.size)} | {format_size(entry.memory)} | "
        f"{entry.licence} | {entry.summary} | {'yes' if entry.is_checked else 'no'} |"
        for entry in CATALOGUE
    )
    return "\n".join((*head, *rows))


def services() -> str:
    head = (f"| name | service | usual model | a scene, about (USD, noted {NOTED}) |", "|" + " --- |" * 4)
    rows = (
        f"| `{preset.name}` | [{preset.title}]({preset.key_page}): {preset.about} | `{preset.model}` | "
        f"{f'{preset.price.per_scene:.4f}' if preset.price else ''} |"
        for preset in PROVIDERS
    )
    return "\n".join((*head, *rows))


def servers() -> str:
    rows = (f"| `{one.name}` | {one.title} | {one.port} | {one.start} |" for one in SERVERS)
    return "\n".join(("| name | program | port | started by |", "| --- | --- | --- | --- |", *rows))
