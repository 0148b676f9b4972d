"""Sets up who tells: a provider with its address, model, key and permission, or this machine alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from narratoria.errors import NarratoriaException
from narratoria.inference.provider_presets import NOTED, PROVIDERS, PriceHint, is_loopback, name_place
from narratoria.skills.config import change_config, read_config
from narratoria.skills.decisions import SkillDecisions, change_decisions
from narratoria.skills.permissions import NETWORK
from narratoria.skills.skill import Skill

PATIENCE_S, LOCAL_PATIENCE_S = 10, 90  # until the first word; a server here may have to load its model first


class ProviderChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A provider that is to tell; settings that are None stay as they are."""

    provider: str
    base_url: str = ""
    model: str = ""
    api_key: str | None = msgspec.field(default=None)
    budget_tokens: int | None = None
    budget_money: float | None = None
    budget_per: str | None = None

    def __repr__(self) -> str:
        return f"ProviderChoice({self.provider!r}, {self.base_url!r}, {self.model!r})"

    @property
    def place(self) -> str:
        return name_place(self.provider, self.base_url)

    @property
    def is_local(self) -> bool:
        """Return whether it is on this machine."""
        if not self.base_url:
            return self.provider == "ollama"
        return is_loopback(urlsplit(self.base_url).hostname or "")


def consent_question(choice: ProviderChoice) -> str:
    """Return what the player agrees to with this choice."""
    if choice.is_local:
        return (
            f"Each scene, with what the story knows, is sent to {choice.place}; "
            "the storyteller is allowed to use the network for that."
        )
    return (
        f"Each scene, with what the story knows, is sent over the network to {choice.place}, which may keep "
        "it and charges for it; the storyteller is allowed to use the network for that."
    )


def price_hint(provider: str, base_url: str, model: str) -> tuple[PriceHint, str] | None:
    """Return the price that was noted for this very model, and how far it can be trusted."""
    for preset in PROVIDERS:
        same_place = (preset.provider, preset.base_url) == (
            provider,
            (base_url or preset.base_url).rstrip("/"),
        )
        if same_place and model in ("", preset.model) and preset.price:
            return preset.price, f"noted {NOTED}, not checked since; see {preset.key_page}"
    return None


def use_provider(skill: Skill, home: Path, choice: ProviderChoice, *, in_terminal: bool = False) -> None:
    """Have this provider tell from the next scene on; the player has agreed to what that means."""
    if choice.provider not in ("ollama", "openai", "claude"):
        raise NarratoriaException(
            f"there is no provider {choice.provider!r}; there are ollama, openai, claude"
        )
    hint = price_hint(choice.provider, choice.base_url, choice.model)
    price = hint[0] if hint else PriceHint(0, 0)
    changes: dict[str, Any] = {
        "patienceSeconds": LOCAL_PATIENCE_S if choice.is_local else PATIENCE_S,
        "provider": choice.provider,
        "baseUrl": choice.base_url,
        "model": choice.model,
        "inputPrice": price.input,
        "outputPrice": price.output,
    }
    optional = {
        "apiKey": choice.api_key,
        "budgetTokens": choice.budget_tokens,
        "budgetMoney": choice.budget_money,
        "budgetPer": choice.budget_per,
    }
    changes |= {key: value for key, value in optional.items() if value is not None}
    change_config(skill, home, changes, in_terminal=in_terminal)
    _grant(skill, home, granted=True)


def use_this_machine(skill: Skill, home: Path) -> None:
    """Have scenes told on this machine alone, and take the network back from the storyteller."""
    change_config(skill, home, {"provider": "local", "fallbackProvider": "local"})
    _grant(skill, home, granted=False)


def read_choice(skill: Skill, home: Path) -> ProviderChoice | None:
    """Return the provider that is set, without its key; None for this machine."""
    values: Mapping[str, Any] = read_config(skill, home).effective().values
    if values.get("provider") in (None, "local"):
        return None
    return ProviderChoice(
        provider=str(values["provider"]),
        base_url=str(values.get("baseUrl") or ""),
        model=str(values.get("model") or ""),
        budget_tokens=int(values.get("budgetTokens") or 0),
        budget_money=float(values.get("budgetMoney") or 0),
        budget_per=str(values.get("budgetPer") or "day"),
    )


def _grant(skill: Skill, home: Path, *, granted: bool) -> None:
    def decided(before: SkillDecisions) -> SkillDecisions:
        others = [one for one in before.granted(skill.name) or () if one != NETWORK]
        return before.with_granted(skill.name, [*others, NETWORK] if granted else others)

    change_decisions(home, decided)
