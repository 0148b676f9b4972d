"""Shows and changes skills for the settings page: readiness, settings and permissions."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from narratoria.app import open_skills
from narratoria.errors import ContractViolation, Problem
from narratoria.skills.config import change_config
from narratoria.skills.config_schema import ConfigField
from narratoria.skills.decisions import (
    SkillDecisions,
    change_decisions,
    granted_permissions,
    is_bundled,
    load_decisions,
    requested_permissions,
    select_permissions,
    user_controlled_permissions,
)
from narratoria.skills.health import Readiness, SkillErrorState, check_readiness
from narratoria.skills.permissions import normalise_permission
from narratoria.skills.skill import Skill
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, FieldError, Operations, not_found

skills = Operations(
    "Skills", "What can be used while a story is told, its settings and its permissions.", role="owner"
)

WORSE: tuple[SkillErrorState, ...] = ("healthy", "degraded", "temporaryFailure", "permanentFailure")


class Permission(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    granted: bool
    why: str  # what it means, in words for the person who decides


class Script(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    description: str
    timeout_seconds: float
    required: bool


class FormField(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One setting of a skill, with everything a form needs to know about it."""

    key: str
    type: Literal["string", "number", "integer", "boolean", "array", "object"]
    widget: Literal["text", "password", "textarea", "number", "toggle", "dropdown", "list", "group"]
    title: str
    description: str
    required: bool
    sensitive: bool
    category: str
    env_var: str
    default: Any
    enum: tuple[Any, ...]
    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    multiple_of: float | None
    min_length: int | None
    max_length: int | None
    pattern: str
    fields: tuple[FormField, ...]


class Form(msgspec.Struct, frozen=True, rename="camel"):
    title: str
    description: str
    fields: tuple[FormField, ...]


class ConfigPage(msgspec.Struct, frozen=True, rename="camel"):
    schema: Form
    values: dict[str, Any]  # a secret that is set is a mask; sent back, the mask leaves it as it is
    secrets_set: tuple[str, ...]
    sources: dict[str, Literal["config", "environment", "default"]]


class SkillPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    display_name: str
    version: str
    description: str
    author: str
    license: str
    bundled: bool
    enabled: bool
    available: bool  # enabled, and with settings that it can work with
    condition: Literal["ready", "disabled", "misconfigured"]
    health: SkillErrorState  # in the open stories, of which the worst counts
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    permissions: tuple[Permission, ...]
    scripts: tuple[Script, ...]
    config: ConfigPage


class ConfigChange(msgspec.Struct, frozen=True, rename="camel"):
    """New values by key; a null takes a value back, so that the default counts again."""

    values: dict[str, Any]


class Grant(msgspec.Struct, frozen=True, rename="camel"):
    permission: str
    granted: bool


@skills.get("/skills")
async def list_skills(app_state: AppState) -> list[SkillPage]:
    """Every skill that was found, in the order in which they are looked for."""
    decided = load_decisions(app_state.shared)
    return [
        _page(app_state, check_readiness(skill, app_state.shared, decided), decided)
        for skill in open_skills().skills
    ]


@skills.put("/skills/{name}/config")
async def configure_skill(app_state: AppState, name: str, body: ConfigChange) -> SkillPage:
    """Change settings of a skill.

    Everything is saved, or nothing; what is wrong is told field by field (422). A secret that is sent back as
    the mask it was shown as stays what it is.
    """
    skill = _find(name)
    values = {key: value for key, value in body.values.items() if value is not None}
    unset = [key for key, value in body.values.items() if value is None]
    try:
        change_config(skill, app_state.shared, values, unset=unset)
    except ContractViolation as violation:
        raise _refused(violation.problems) from None
    return _shown(app_state, skill)


@skills.post("/skills/{name}/enable")
async def enable_skill(app_state: AppState, name: str) -> SkillPage:
    """Let plans use a skill, from the next turn on."""
    return _switch(app_state, name, enabled=True)


@skills.post("/skills/{name}/disable")
async def disable_skill(app_state: AppState, name: str) -> SkillPage:
    """Keep plans from using a skill, from the next turn on; its settings and its data stay."""
    return _switch(app_state, name, enabled=False)


@skills.post("/skills/{name}/grants")
async def grant_permission(app_state: AppState, name: str, body: Grant) -> SkillPage:
    """Let a skill do something that it asks for, or take that back.

    What came with Narratoria has what it asks for, and only the network is to be decided about (409).
    """
    skill = _find(name)
    if is_bundled(skill) and not user_controlled_permissions(skill).allows(body.permission):
        advice = "Turn it off if you do not want it."
        raise ApiError(409, "bundled", f"{name} comes with Narratoria and has what it asks for.", advice)
    selected = select_permissions(skill, [body.permission])
    gone = {body.permission, normalise_permission(body.permission)}

    def decided(before: SkillDecisions) -> SkillDecisions:
        held = before.granted(name) or ()
        after = [*held, *selected] if body.granted else [one for one in held if one not in gone]
        return before.with_granted(name, after)

    change_decisions(app_state.shared, decided)
    return _shown(app_state, skill)


def _switch(app_state: AppState, name: str, *, enabled: bool) -> SkillPage:
    skill = _find(name)
    change_decisions(app_state.shared, lambda before: before.with_enabled(name, enabled))
    return _shown(app_state, skill)


def _find(name: str) -> Skill:
    skill = open_skills().skill(name)
    if skill is None:
        raise not_found("skill", name)
    return skill


def _shown(app_state: AppState, skill: Skill) -> SkillPage:
    decided = load_decisions(app_state.shared)
    return _page(app_state, check_readiness(skill, app_state.shared, decided), decided)


def _page(app_state: AppState, ready: Readiness, decided: SkillDecisions) -> SkillPage:
    skill = ready.skill
    return SkillPage(
        name=skill.name,
        display_name=skill.display_name or skill.name,
        version=skill.version,
        description=skill.description,
        author=skill.author,
        license=skill.license,
        bundled=is_bundled(skill),
        enabled=ready.enabled,
        available=ready.condition == "ready",
        condition=ready.condition,
        health=max(
            (health.of(skill.name).state for health in app_state.skill_healths()),
            key=WORSE.index,
            default="healthy",
        ),
        problems=tuple(problem.message for problem in ready.problems),
        warnings=tuple(problem.message for problem in ready.warnings),
        permissions=_permissions(skill, decided),
        scripts=tuple(
            Script(script.name, script.description, script.timeout, script.required)
            for script in skill.scripts
        ),
        config=_config(ready),
    )


def _permissions(skill: Skill, decided: SkillDecisions) -> tuple[Permission, ...]:
    asked, granted = requested_permissions(skill), granted_permissions(skill, decided)
    described = zip(asked, asked.describe(), strict=True)
    return tuple(Permission(name, granted.allows(name), why) for name, why in described)


def _config(ready: Readiness) -> ConfigPage:
    config = ready.config
    if config is None or ready.effective is None:
        return ConfigPage(Form("", "", ()), {}, (), {})
    schema = config.schema
    form = Form(schema.title, schema.description, tuple(_field(about) for about in schema.fields))
    shown = config.shown(ready.effective)
    return ConfigPage(form, shown, tuple(_secrets(schema.fields, shown)), dict(ready.effective.sources))


def _field(about: ConfigField) -> FormField:
    copied = {
        name: getattr(about, name) for name in FormField.__struct_fields__ if name not in ("widget", "fields")
    }
    return FormField(**copied, widget=about.widget, fields=tuple(_field(inner) for inner in about.fields))


def _secrets(fields: tuple[ConfigField, ...], shown: dict[str, Any], group: str = "") -> list[str]:
    """Return the keys of those that are set; nobody is told to what."""
    keys: list[str] = []
    for about in fields:
        value = shown.get(about.key)
        if about.fields and isinstance(value, dict):
            keys += _secrets(about.fields, value, f"{group}{about.key}.")
        elif about.sensitive and value not in (None, "", []):
            keys.append(group + about.key)
    return keys


def _refused(problems: tuple[Problem, ...]) -> ApiError:
    fields = [
        FieldError(problem.pointer.strip("/").replace("/", "."), problem.message) for problem in problems
    ]
    return ApiError(422, "invalid", "These settings cannot be saved; nothing was changed.", fields=fields)
