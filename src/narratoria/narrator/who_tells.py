"""Says in one sentence who tells the scenes, and why whoever was chosen does not.

The page, `narratoria model list`, `narratoria doctor` and the documentation all show this sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.exam import ModelExam, describe_exam, load_exam
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.installed_models import InstalledModel, chosen_model
from narratoria.inference.provider_presets import name_place, needs_key
from narratoria.planning.plan_log import read_last_records
from narratoria.sdk.quick_answer import TAKEN
from narratoria.sdk.usage import UsageLog, read_budget, spent
from narratoria.skills.config import config_file
from narratoria.skills.decisions import FILE_NAME, granted_permissions, load_decisions
from narratoria.skills.health import check_readiness
from narratoria.skills.host.services import HostModelStatus
from narratoria.skills.skill import Skill, data_path

STORYTELLER = "storyteller"
HOSTED = {"ollama": "Ollama", "openai": "the OpenAI-compatible service", "claude": "Anthropic"}
CAMPAIGN = "scenes are told in the campaign's own words"
_RECENT = 5  # scenes that are looked at

State: TypeAlias = Literal["tells", "partly", "preparing", "blocked", "none"]
# tells: the chosen one · partly: only what the player types · preparing: soon · blocked: it was chosen and
# does not · none: nobody was chosen who could


class WhoTells(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who tells, and why not another."""

    state: State
    teller: Literal["provider", "model", "campaign"]  # who tells the next scene
    name: str  # whoever was chosen, such as "llama3.2 at Ollama on this machine"; empty for nobody
    sentence: str
    advice: str = ""  # what to do about it
    sends: str = ""  # where the scene is sent; empty if it stays on this machine


class ProviderSetup(msgspec.Struct, frozen=True, kw_only=True):
    """A hosted model as it is set up; the key itself stays where it is."""

    provider: str
    model: str = ""
    base_url: str = ""
    has_key: bool = False
    network: bool = False  # whether the storyteller may use it
    spent: str = ""  # why its budget allows no more


class ModelSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The model on this machine, as far as anybody knows it."""

    title: str = ""  # empty: there is none
    tier: str = ""  # empty: nobody has examined it
    state: Literal["ready", "loading", "failed", "none"] = "ready"
    reason: str = ""  # why it failed
    verdict: str = ""  # the words of its examination


class TellingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A scene that was told since anything was set."""

    by_model: bool
    reasons: Mapping[str, str] = {}  # by writer: why it did not tell this one


class TellerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides who tells."""

    problem: str = ""  # why the storyteller itself cannot be used
    providers: tuple[ProviderSetup, ...] = ()  # in the order in which they are asked
    model: ModelSetup = ModelSetup()
    recent: tuple[TellingRecord, ...] = ()  # the newest first


def who_tells(skill: Skill | None, home: Path, live: HostModelStatus | None = None) -> WhoTells:
    """Return who tells now; `live` is the state of the model where a story is being played."""
    return describe_teller(read_setup(skill, home, live))


def describe_teller(setup: TellerSetup) -> WhoTells:
    """Return who tells with this setup, in words."""
    if setup.problem:
        return WhoTells(
            state="blocked",
            teller="campaign",
            name="",
            sentence=f"The storyteller cannot be used, so {CAMPAIGN}: {setup.problem}.",
            advice="Put it right under Skills, or with `narratoria skills`.",
        )
    local = _local(setup)
    if not setup.providers:
        return local
    first, *others = (_hosted(one, setup.recent) for one in setup.providers)
    if first.state == "tells":
        return first
    standing_in = next((one for one in others if one.state == "tells"), local)
    rest = (
        f"{standing_in.name} tells instead"
        if standing_in.state == "tells"
        else f"{standing_in.name} tells what you do in your own words, and the rest is in the campaign's own"
        if standing_in.state == "partly"
        else CAMPAIGN
    )
    return msgspec.structs.replace(
        first,
        teller=standing_in.teller,
        sentence=f"{first.sentence}; {rest}.",
        sends=standing_in.sends,
    )


def _hosted(setup: ProviderSetup, recent: Sequence[TellingRecord]) -> WhoTells:
    place = name_place(setup.provider, setup.base_url)
    name = f"{setup.model or 'the usual model'} at {place}"
    reason, advice = _why_not(setup, place, recent)
    if reason:
        sentence = f"{_capital(name)} is set up and does not tell, because {reason}"
        return WhoTells(state="blocked", teller="campaign", name=name, sentence=sentence, advice=advice)
    words = "tells the scenes" if any(scene.by_model for scene in recent) else "tells from the next scene on"
    return WhoTells(
        state="tells", teller="provider", name=name, sentence=f"{_capital(name)} {words}.", sends=place
    )


def _why_not(setup: ProviderSetup, place: str, recent: Sequence[TellingRecord]) -> tuple[str, str]:
    if not setup.network:
        return (
            "the storyteller may not use the network",
            f"Switch on its permission “network”, or `narratoria skills grant {STORYTELLER} network`.",
        )
    if not setup.has_key and needs_key(setup.provider, setup.base_url):
        return (
            f"{place} needs an API key and none is set for it",
            f"Type it in the settings, or `narratoria skills config set {STORYTELLER} --ask apiKey`.",
        )
    if setup.spent:
        return setup.spent, "Raise the budget in the storyteller's settings, or play on as it is."
    if last := _last_refusal(recent, setup.provider):
        return f"the last scene was not told by it: {last}", "It is asked again for the next scene."
    return "", ""


def _local(setup: TellerSetup) -> WhoTells:
    model = setup.model
    name = f"{model.title} on this machine" if model.title else ""
    if not model.title:
        return WhoTells(
            state="none",
            teller="campaign",
            name="",
            sentence=f"{_capital(CAMPAIGN)}: no language model is here and no provider is set up.",
            advice="`narratoria model list` shows models to be had, `narratoria model find` servers.",
        )
    if model.state == "failed":
        sentence = f"{model.title} cannot be used, so {CAMPAIGN}: {model.reason}."
        return WhoTells(
            state="blocked",
            teller="campaign",
            name=name,
            sentence=sentence,
            advice="Choose another with `narratoria model use`, or on the page under Models.",
        )
    if model.state == "loading":
        sentence = f"{model.title} is being made ready; until then {CAMPAIGN}."
        return WhoTells(state="preparing", teller="campaign", name=name, sentence=sentence)
    return _by_tier(model, name, setup.recent)


def _by_tier(model: ModelSetup, name: str, recent: Sequence[TellingRecord]) -> WhoTells:
    about = f" ({model.verdict})" if model.verdict else ""
    match model.tier:
        case "narrates":
            if refused := _last_refusal(recent, "local"):
                sentence = (
                    f"{_capital(name)} is to tell the scenes and did not tell the last one: {refused}; "
                    "it is asked again for the next."
                )
                return WhoTells(state="blocked", teller="model", name=name, sentence=sentence)
            return WhoTells(
                state="tells",
                teller="model",
                name=name,
                sentence=f"{_capital(name)} tells the scenes{about}.",
            )
        case "embellishes":
            sentence = f"{_capital(name)} tells only what you do in your own words; other {CAMPAIGN}{about}."
            return WhoTells(
                state="partly",
                teller="campaign",
                name=name,
                sentence=sentence,
                advice="A larger model, or a service, writes whole scenes.",
            )
        case "":
            sentence = (
                f"{_capital(CAMPAIGN)} until {model.title} is examined, which happens in the next story."
            )
            return WhoTells(
                state="preparing",
                teller="campaign",
                name=name,
                sentence=sentence,
                advice="`narratoria model bench` examines it now.",
            )
    can = "helps to choose and fills in details" if model.tier == "fills" else "only helps to choose"
    return WhoTells(
        state="none",
        teller="campaign",
        name=name,
        sentence=f"{_capital(CAMPAIGN)}; {model.title} is too small to tell them and {can}{about}.",
        advice="A larger model, or a service, writes scenes as you play.",
    )


def _last_refusal(recent: Sequence[TellingRecord], writer: str) -> str:
    """Return why a writer did not tell the last scene, where that was not the player's own choice."""
    reason = recent[0].reasons.get(writer, "") if recent and not recent[0].by_model else ""
    return "" if reason == TAKEN else reason


# reading it


def read_setup(skill: Skill | None, home: Path, live: HostModelStatus | None = None) -> TellerSetup:
    """Collect what decides who tells, from the settings, the permissions, the model and the last scenes."""
    model = _read_model(live)
    if skill is None:
        return TellerSetup(problem="it was not found", model=model)
    decisions = load_decisions(home)
    ready = check_readiness(skill, home, decisions)
    if ready.condition == "disabled":
        return TellerSetup(problem="it is switched off", model=model)
    if ready.effective is None or ready.problems:
        problem = ready.problems[0].message if ready.problems else "its settings cannot be read"
        return TellerSetup(problem=problem, model=model)
    config = ready.effective.values
    network = granted_permissions(skill, decisions).allows("network")
    used_up = spent(read_budget(dict(config)), UsageLog(str(data_path(skill.name))))
    providers = tuple(
        _read_provider(config, prefix, network=network, used_up=used_up)
        for prefix in ("", "fallback")
        if config.get(_key(prefix, "provider")) in HOSTED
    )
    try:
        recent = tuple(_recent(home))
    except OSError:  # a log that cannot be read says nothing
        recent = ()
    return TellerSetup(providers=providers, model=model, recent=recent)


def _read_provider(config: Mapping[str, Any], prefix: str, *, network: bool, used_up: str) -> ProviderSetup:
    provider, base_url = str(config[_key(prefix, "provider")]), str(config.get(_key(prefix, "baseUrl")) or "")
    is_main = (config.get("provider"), str(config.get("baseUrl") or "")) == (provider, base_url)
    key = config.get(_key(prefix, "apiKey")) or (config.get("apiKey") if is_main else "")
    return ProviderSetup(
        provider=provider,
        model=str(config.get(_key(prefix, "model")) or ""),
        base_url=base_url,
        has_key=bool(key),
        network=network,
        spent=used_up,
    )


def _key(prefix: str, name: str) -> str:
    return prefix + name[0].upper() + name[1:] if prefix else name


def _read_model(live: HostModelStatus | None) -> ModelSetup:
    try:
        model = chosen_model()
    except (ModelUnavailable, OSError) as error:
        return ModelSetup(title="the chosen model", state="failed", reason=str(error))
    if model is None:
        return ModelSetup()
    report = load_exam(model)
    verdict = describe_exam(report) if report else ""
    if live is not None and live.name == model.title and live.state in ("loading", "failed"):
        return ModelSetup(
            title=model.title, tier=live.tier, state=live.state, reason=live.reason, verdict=verdict
        )
    try:
        read_gguf_header(model.path)
    except (ModelUnavailable, OSError) as error:
        return ModelSetup(title=model.title, state="failed", reason=str(error))
    return ModelSetup(title=model.title, tier=_tier(model, report), verdict=verdict)


def _tier(model: InstalledModel, report: ModelExam | None) -> str:
    if report is not None:
        return report.tier
    return "scores" if model.sha256 == EMBEDDED.sha256 else ""


def _recent(home: Path) -> Iterator[TellingRecord]:
    """Yield the last scenes of this home, the newest first, that were told since anything was set."""
    since = max(
        map(_changed, (config_file(home, STORYTELLER), home / FILE_NAME, home / "models" / "chosen.json"))
    )
    count = 0
    for record in read_last_records(home / "logs"):
        if count == _RECENT or record.at < since:
            return
        result = record.result() if record.kind == "execution" else None
        for tool in result.tool_results if result else ():
            if tool.skill == STORYTELLER and isinstance(tool.output, Mapping):
                count += 1
                yield _read_scene(tool.output)


def _read_scene(output: Mapping[str, Any]) -> TellingRecord:
    passages, steps = output.get("passages"), output.get("steps")
    by_model = any(
        isinstance(one, Mapping) and one.get("source") == "model"
        for one in (passages if isinstance(passages, Sequence) else ())
    )
    reasons = {
        str(one.get("writer")): str(one.get("reason"))
        for one in (steps if isinstance(steps, Sequence) else ())
        if isinstance(one, Mapping)
    }
    return TellingRecord(by_model=by_model, reasons=reasons)


def _changed(file: Path) -> str:
    """Return when a file was last written, as the plan log writes times; an empty text for none."""
    try:
        changed = file.stat().st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(changed, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _capital(text: str) -> str:
    """Return a text as the beginning of a sentence; the name of a model stays as it is written."""
    return text[:1].upper() + text[1:] if text.startswith(("scenes ", "the ")) else text
