"""Reads, completes, checks and saves a skill's settings in `<home>/skills/<name>/config.json`.

A key that the file does not hold comes from its environment variable (`x-env-var`), if the user agreed that
the skill is given it, else from its default.
The file keeps what its owner wrote: `${VAR_NAME}` stays a reference, and unknown keys stay where they are.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from narratoria import contracts
from narratoria.contracts.json_pointer import join_pointer
from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, Problem
from narratoria.files import file_lock, replace_file
from narratoria.skills.config_schema import ConfigField, ConfigSchema, read_schema
from narratoria.skills.config_values import (
    RECORD_KEY,
    BoundValues,
    UnsetVariables,
    find_misdirected,
    holds_secrets,
    look_up,
    mask,
    names_a_secret,
    names_in,
    overlay,
    parse_value,
    put_value,
    read_record,
    rebind,
    remove_value,
    substitute,
    target_of,
    unmask,
)
from narratoria.skills.decisions import grant_command, load_decisions, withheld_variables
from narratoria.skills.permissions import ENV
from narratoria.skills.redact import MASK, Concealed, Redactor
from narratoria.skills.skill import Skill

FILE_NAME = "config.json"

Source: TypeAlias = Literal["config", "environment", "default"]

_OBJECT = contracts.Contract({"type": "object"})


def config_file(home: Path, skill: str) -> Path:
    return home / "skills" / skill / FILE_NAME


@dataclass(frozen=True, slots=True)
class SkillConfig:
    """Holds the settings of one skill, as they stand in its file."""

    skill: str
    schema: ConfigSchema
    file: Path
    values: Mapping[str, Any] = field(default_factory=Concealed)
    text: bytes = field(default=b"", repr=False)  # for the lines of what is wrong with them
    withheld: frozenset[str] = frozenset()  # variables of `x-env-var` that the user has not agreed to
    given_for: Mapping[str, str] = field(default_factory=dict)  # the origin that each secret is bound to
    cleared: tuple[str, ...] = ()  # secrets that the last change removed, because their address changed

    @property
    def masked(self) -> dict[str, Any]:
        """Return the values as they may be shown."""
        return mask(self.values, self.schema)

    def shown(self, effective: EffectiveConfig) -> dict[str, Any]:
        """Every value there is, as it may be shown: variables by their names, secrets as a mask."""
        shown = effective.redact(effective.values)
        return mask({**shown, **overlay(shown, self.values)}, self.schema)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Return the keys that the schema does not declare: kept, and passed to no script."""
        return tuple(key for key in self.values if self.schema.field(key) is None)

    def effective(self, env: Mapping[str, str] = os.environ) -> EffectiveConfig:
        """Return the values a script is given, with everything that is wrong with them."""
        filling = _Filling(env, self.withheld)
        values = filling.fill(self.schema.fields, self.values, "")
        misdirected = self._withhold_misdirected(values, filling)
        problems = [
            *_missing(self.schema.fields, values, self.skill),
            *_refused(self.schema, values, filling),
        ]
        unset = [_unset_problem(pointer, names) for pointer, names in filling.unset.items()]
        unset += [_kept_back(pointer, name, self.skill) for pointer, name in filling.kept_back.items()]
        return EffectiveConfig(
            values=Concealed(values),
            sources=filling.sources,
            problems=self._placed(problems + unset if problems else []),
            warnings=self._placed([*([] if problems else unset), *misdirected, *self._unknown_warnings()]),
            redact=Redactor(filling.secrets),
        )

    def targets(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the origin that each secret would be sent to."""
        values = _Filling(env, self.withheld).fill(self.schema.fields, self.values, "")
        return {about.key: target_of(about, values) for about in self.schema.fields if about.sent_to}

    def _withhold_misdirected(self, values: dict[str, Any], filling: _Filling) -> list[Problem]:
        """Remove the secrets that would go to an address they were not given for."""
        variables = {key for key, source in filling.sources.items() if source == "environment"}
        variables |= {key for key, value in self.values.items() if any(names_in(value))}
        misdirected = [*find_misdirected(self.schema, self.given_for, values, from_environment=variables)]
        for key, _ in misdirected:
            del values[key], filling.sources[key]
        return [
            replace(problem, message=f"{problem.message}; {self._how_to_bind(key, variables)}")
            for key, problem in misdirected
        ]

    def _how_to_bind(self, key: str, variables: Collection[str]) -> str:
        about = self.schema.field(key)
        if key not in variables or about is None or about.sent_to is None:
            return "give it again for this address"
        address = about.sent_to.setting
        return f"if it may be, say so in a terminal: `narratoria skills config set {self.skill} {address}=…`"

    def refused(self, env: Mapping[str, str] = os.environ) -> tuple[Problem, ...]:
        """Return the problems that forbid saving these values; a variable that is not set yet is none."""
        filling = _Filling(env, self.withheld, keep_unset=True)
        values = filling.fill(self.schema.fields, self.values, "")
        problems = [
            *_missing(self.schema.fields, values, self.skill),
            *_refused(self.schema, values, filling),
        ]
        judged = [p for p in problems if not any(_is_within(p.pointer, unset) for unset in filling.unset)]
        return self._placed(judged)

    def _unknown_warnings(self) -> Iterator[Problem]:
        declared_keys = [candidate.key for candidate in self.schema.fields]
        for key in self.unknown:
            near = closest_match(key, declared_keys)
            advice = f"did you mean {near!r}?" if near else "it is kept, and passed to no script"
            yield Problem(f"{key!r} is not a setting of {self.skill}; {advice}", join_pointer([key]))

    def _placed(self, problems: list[Problem]) -> tuple[Problem, ...]:
        named = [replace(problem, file=str(self.file)) for problem in problems]
        return contracts.add_locations(named, self.text, file=str(self.file)) if self.text else tuple(named)


@dataclass(frozen=True, slots=True)
class EffectiveConfig:
    """Settings with variables replaced and defaults filled in, for the script alone."""

    values: Mapping[str, Any]  # do not print, log or keep: secrets are in the clear
    sources: Mapping[str, Source]  # where each key's value is from
    problems: tuple[Problem, ...] = ()  # the skill cannot be used with these
    warnings: tuple[Problem, ...] = ()
    redact: Redactor = field(default_factory=Redactor)


def read_config(skill: Skill, home: Path) -> SkillConfig:
    """ContractViolation for a broken schema or an unreadable file; wrong values are still read."""
    schema = read_schema(skill.folder, skill.config_schema)
    return _read(skill, schema, home)


def change_config(
    skill: Skill,
    home: Path,
    changes: Mapping[str, Any],
    *,
    unset: Collection[str] = (),
    env: Mapping[str, str] = os.environ,
    in_terminal: bool = False,
) -> SkillConfig:
    """Set and remove keys (`key` or `group.key`) and save; ContractViolation, and nothing saved, if refused.

    The mask of a secret, as a form gives it back untouched, leaves the secret as it is. A secret whose
    address changes is removed (`cleared` names it). Only in a terminal (`in_terminal`) can a variable of the
    environment be put into a setting that is not bound to an address: a page may be somebody else's.
    """
    schema = read_schema(skill.folder, skill.config_schema)
    path = config_file(home, skill.name)
    with file_lock(path):
        before = _read(skill, schema, home)
        values = copy.deepcopy(dict(before.values))
        for key in unset:
            remove_value(values, key)
        for key, value in changes.items():
            put_value(values, key, unmask(value, look_up(before.values, key)))
        if _OBJECT.check_value(values):  # its words would quote the value, which may be a secret
            message = (
                "a value holds half of a surrogate pair, or a number that JSON has not; nothing was saved"
            )
            raise ContractViolation([Problem(message, file=str(path))])
        after = _rebound(before, values, changes, env, in_terminal=in_terminal)
        problems = (*_undeclared(changes, schema, skill.name), *after.refused(env))
        if not in_terminal:
            problems += (*_variables_from_a_page(before, after),)
        if problems:
            raise ContractViolation([replace(problem, line=0, column=0) for problem in problems])
        replace_file(path, after.text, private=holds_secrets(after.values, schema))
    return after


def _rebound(
    before: SkillConfig,
    values: dict[str, Any],
    changes: Mapping[str, Any],
    env: Mapping[str, str],
    *,
    in_terminal: bool,
) -> SkillConfig:
    """Return the changed settings without the secrets whose address changed, and the record of the others."""
    after = replace(before, values=Concealed(values))
    rebinding = rebind(
        BoundValues(before.schema, before.values, before.targets(env)),
        BoundValues(after.schema, values, after.targets(env)),
        before.given_for,
        given=frozenset(key for key, value in changes.items() if value != MASK),
        in_terminal=in_terminal,
    )
    remaining = {key: value for key, value in values.items() if key not in rebinding.cleared}
    stored = {**remaining, RECORD_KEY: rebinding.record} if rebinding.record else remaining
    text = (json.dumps(stored, indent=2, ensure_ascii=False) + "\n").encode()
    cleared = rebinding.cleared
    return replace(
        after, values=Concealed(remaining), text=text, given_for=dict(rebinding.record), cleared=cleared
    )


def _variables_from_a_page(before: SkillConfig, after: SkillConfig) -> Iterator[Problem]:
    for key, value in after.values.items():
        about = after.schema.field(key)
        if value == before.values.get(key) or (about and about.sent_to) or not any(names_in(value)):
            continue
        command = f"narratoria skills config set {after.skill} {key}=…"
        yield Problem(f"a variable is set here in a terminal only: `{command}`", join_pointer([key]))


def _read(skill: Skill, schema: ConfigSchema, home: Path) -> SkillConfig:
    path = config_file(home, skill.name)
    nothing = SkillConfig(skill.name, schema, path, withheld=withheld_variables(skill, load_decisions(home)))
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return nothing
    except OSError as error:
        raise ContractViolation([Problem(f"cannot be read: {error.strerror}", file=str(path))]) from None
    values = _OBJECT.parse(text, file=str(path))
    given_for = read_record(values)
    return replace(nothing, values=Concealed(values), text=text, given_for=given_for)


# filling in


@dataclass(slots=True)
class _Filling:
    """Collects, on the way through the fields, where values are from and which are secret."""

    env: Mapping[str, str]
    withheld: frozenset[str]
    keep_unset: bool = False
    kept_back: dict[str, str] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    unset: dict[str, tuple[str, ...]] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set, repr=False)

    def fill(
        self, fields: tuple[ConfigField, ...], stored: Mapping[str, Any], pointer: str
    ) -> dict[str, Any]:
        """Return the declared keys that have a value from anywhere."""
        values: dict[str, Any] = {}
        for about in fields:
            where = f"{pointer}/{about.key}"
            value_and_source = self._value(about, stored, where)
            if value_and_source is None and not about.fields:
                continue
            value, source = value_and_source or ({}, "default")
            if about.fields and isinstance(value, Mapping):
                value = self.fill(about.fields, value, where)
                if not value_and_source and not value:
                    continue
            values[about.key] = value
            if not pointer:
                self.sources[about.key] = source
            if about.sensitive or (about.holds_secrets and not isinstance(value, Mapping)):
                self.secrets.update(_texts(value))
        return values

    def _value(self, about: ConfigField, stored: Mapping[str, Any], where: str) -> tuple[Any, Source] | None:
        if about.key in stored:
            value = stored[about.key]
            if not (about.fields and isinstance(value, Mapping)):  # its fields are looked at one by one
                value = self._replaced(about, value, where)
            if not isinstance(value, UnsetVariables):
                return value, "config"
        text = self.env.get(about.env_var) if about.env_var else None
        if text and about.env_var in self.withheld:
            self.kept_back[where] = about.env_var
        elif text:
            self._note_secret(about.env_var, text)
            return parse_value(text, about.type), "environment"
        return None if about.default is None else (copy.deepcopy(about.default), "default")

    def _replaced(self, about: ConfigField, value: Any, where: str) -> Any:
        names = list(names_in(value))
        replaced = substitute(value, self.env)
        if isinstance(replaced, UnsetVariables):
            self.unset[where] = replaced.names
            return value if self.keep_unset else replaced
        for name in names:
            self._note_secret(name, self.env[name])
        return parse_value(replaced, about.type) if names and isinstance(replaced, str) else replaced

    def _note_secret(self, variable: str, value: str) -> None:
        if names_a_secret(variable):
            self.secrets.add(value)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
        case bool() | None:
            return
        case _:
            yield str(value)


# judging


def _missing(
    fields: tuple[ConfigField, ...], values: Mapping[str, Any], skill: str, group: str = ""
) -> Iterator[Problem]:
    for about in fields:
        key = f"{group}{about.key}"
        value = values.get(about.key)
        if about.required and about.key not in values:
            yield Problem(
                f"{about.title} is needed and has no value; {_how_to_set(about, key, skill)}",
                join_pointer(key.split(".")),
            )
        elif about.fields and isinstance(value, Mapping):
            yield from _missing(about.fields, value, skill, f"{key}.")


def _how_to_set(about: ConfigField, key: str, skill: str) -> str:
    option = f"--ask {key}" if about.sensitive else f"{key}=…"
    how = f"set it with `narratoria skills config set {skill} {option}`"
    return f"{how}, or in the environment as {about.env_var}" if about.env_var else how


def _refused(schema: ConfigSchema, values: Mapping[str, Any], filling: _Filling) -> Iterator[Problem]:
    """Yield what the schema refuses, without quoting a secret."""
    redact = Redactor(filling.secrets)
    for problem in schema.contract.check_value(values) if schema.contract else ():
        about = schema.field_at(problem.pointer)
        if about and about.holds_secrets:
            message = f"the secret that is set does not fit; it must be {about.expectation}"
            yield replace(problem, message=message)
        else:
            yield redact(problem)


def _unset_problem(pointer: str, names: tuple[str, ...]) -> Problem:
    listed = " and ".join(f"${{{name}}}" for name in names)
    are = "are environment variables that are" if len(names) > 1 else "is an environment variable that is"
    advice = "export it before you start, or change the setting; until then the setting counts as not given"
    return Problem(f"{listed} {are} not set; {advice}", pointer)


def _kept_back(pointer: str, variable: str, skill: str) -> Problem:
    advice = f"`{grant_command(skill, ENV + variable)}` lets it"
    return Problem(f"{variable} is set, and {skill} may not read it; {advice}", pointer)


def _undeclared(changes: Mapping[str, Any], schema: ConfigSchema, skill: str) -> Iterator[Problem]:
    for key in changes:
        if schema.field(key) is None:
            near = closest_match(key, [about.key for about in schema.fields])
            setting_names = ", ".join(about.key for about in schema.fields) or "none"
            advice = f"did you mean {near!r}?" if near else f"its settings: {setting_names}"
            yield Problem(f"{key!r} is not a setting of {skill}; {advice}", join_pointer(key.split(".")))


def _is_within(pointer: str, parent: str) -> bool:
    return pointer == parent or pointer.startswith(f"{parent}/")
