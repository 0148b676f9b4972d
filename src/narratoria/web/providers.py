"""Finds, sets up and counts the models that others serve, for the settings page."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import msgspec

from narratoria.app import open_skills, who_tells
from narratoria.errors import ContractViolation
from narratoria.inference.local_servers import find_servers
from narratoria.inference.provider_presets import NOTED, PROVIDERS
from narratoria.narrator.provider_setup import (
    ProviderChoice,
    consent_question,
    read_choice,
    use_provider,
    use_this_machine,
)
from narratoria.narrator.who_tells import STORYTELLER, WhoTells
from narratoria.sdk.usage import UsageLog
from narratoria.skills.config import read_config
from narratoria.skills.skill import Skill, data_path
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, FieldError, Operations, not_found
from narratoria.web.privacy import note_network

providers = Operations(
    "Providers", "Models that others serve: on this machine, or over the network by key.", role="owner"
)

Text = Annotated[str, msgspec.Meta(max_length=500)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]


class ServicePage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A service that is reached with a key; its price is a hint that nobody has checked."""

    name: str
    title: str
    about: str
    provider: str
    base_url: str
    model: str
    key_page: str
    price_per_scene: float | None  # US dollars
    input_price: float | None  # US dollars for a million tokens
    output_price: float | None
    price_noted: str  # when
    consent: str  # what the player agrees to


class ServerPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A model server that answered on this machine."""

    name: str
    title: str
    provider: str
    base_url: str
    models: tuple[str, ...]
    needs_key: bool
    consent: str


class UsedPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What hosted models used today, as their providers counted it."""

    requests: int
    input: int
    cached: int
    output: int
    money: float
    estimated: int  # answers that the provider did not count


class ChosenProvider(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    provider: str
    base_url: str
    model: str
    place: str
    has_key: bool
    budget_tokens: int
    budget_money: float
    budget_per: str


class ProviderList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    services: tuple[ServicePage, ...]
    chosen: ChosenProvider | None  # None: this machine tells
    used: UsedPage
    teller: WhoTells


class FoundServers(msgspec.Struct, frozen=True, rename="camel"):
    servers: tuple[ServerPage, ...]


class WhereToLook(msgspec.Struct, frozen=True, rename="camel"):
    """Further ports of this machine to look at."""

    ports: Annotated[tuple[Port, ...], msgspec.Meta(max_length=16)] = ()


class UseProvider(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A provider to tell the scenes; what is left out of key and budget stays as it is."""

    provider: Literal["ollama", "openai", "claude"]
    base_url: Text = ""
    model: Text = ""
    api_key: Text | None = None
    budget_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    budget_money: Annotated[float, msgspec.Meta(ge=0)] | None = None
    budget_per: Literal["day", "story"] | None = None
    consent: bool = False  # that scenes are sent there


@providers.get("/providers")
async def list_providers(app_state: AppState) -> ProviderList:
    """The services that can be set up, the one that is, and what was used today."""
    return await asyncio.to_thread(_list, app_state)


@providers.post("/providers/find")
async def find_local_servers(app_state: AppState, body: WhereToLook) -> FoundServers:
    """Look for model servers on this machine.

    Only the loopback address is asked, on usual ports, and nothing of a story is sent. It happens when the
    player asks for it and never by itself.
    """
    note_network(
        app_state.home, who="Narratoria", what="look for model servers on this machine", allowed=True
    )
    found = await asyncio.to_thread(find_servers, body.ports)
    return FoundServers(
        tuple(
            ServerPage(
                name=one.name,
                title=one.title,
                provider=one.provider,
                base_url=one.base_url,
                models=one.models,
                needs_key=one.needs_key,
                consent=consent_question(ProviderChoice(provider=one.provider, base_url=one.base_url)),
            )
            for one in found
        )
    )


@providers.post("/providers/use")
async def use_hosted_provider(app_state: AppState, body: UseProvider) -> ProviderList:
    """Have a provider tell from the next scene on: sets its address, model, key, budget and permission.

    Without the player's consent to what is sent nothing is changed (409).
    """
    choice = ProviderChoice(
        provider=body.provider,
        base_url=body.base_url.rstrip("/"),
        model=body.model,
        api_key=body.api_key or None,
        budget_tokens=body.budget_tokens,
        budget_money=body.budget_money,
        budget_per=body.budget_per,
    )
    if not body.consent:
        raise ApiError(409, "consent", consent_question(choice), "Agree to it, or leave it as it is.")
    try:
        await asyncio.to_thread(use_provider, _storyteller(), app_state.shared, choice)
    except ContractViolation as violation:
        fields = [FieldError(one.pointer.strip("/"), one.message) for one in violation.problems]
        message = "This provider cannot be set up; nothing was changed."
        raise ApiError(422, "invalid", message, fields=fields) from None
    return await list_providers(app_state)


@providers.post("/providers/local")
async def use_no_provider(app_state: AppState) -> ProviderList:
    """Have scenes told on this machine alone, and take the network back from the storyteller."""
    await asyncio.to_thread(use_this_machine, _storyteller(), app_state.shared)
    return await list_providers(app_state)


def _list(app_state: AppState) -> ProviderList:
    skill = _storyteller()
    used = UsageLog(str(data_path(skill.name))).of_day()
    return ProviderList(
        services=tuple(_services()),
        chosen=_chosen(skill, app_state),
        used=UsedPage(**used._asdict()),
        teller=who_tells(),
    )


def _services() -> list[ServicePage]:
    return [
        ServicePage(
            name=preset.name,
            title=preset.title,
            about=preset.about,
            provider=preset.provider,
            base_url=preset.base_url,
            model=preset.model,
            key_page=preset.key_page,
            price_per_scene=preset.price.per_scene if preset.price else None,
            input_price=preset.price.input if preset.price else None,
            output_price=preset.price.output if preset.price else None,
            price_noted=NOTED,
            consent=consent_question(ProviderChoice(provider=preset.provider, base_url=preset.base_url)),
        )
        for preset in PROVIDERS
    ]


def _chosen(skill: Skill, app_state: AppState) -> ChosenProvider | None:
    try:
        choice = read_choice(skill, app_state.shared)
    except ContractViolation:
        return None
    if choice is None:
        return None
    return ChosenProvider(
        provider=choice.provider,
        base_url=choice.base_url,
        model=choice.model,
        place=choice.place,
        has_key=bool(read_config(skill, app_state.shared).effective().values.get("apiKey")),
        budget_tokens=choice.budget_tokens or 0,
        budget_money=choice.budget_money or 0.0,
        budget_per=choice.budget_per or "day",
    )


def _storyteller() -> Skill:
    skill = open_skills().skill(STORYTELLER)
    if skill is None:
        raise not_found("skill", STORYTELLER)
    return skill
