"""Reads and saves the reader's settings, `<home>/settings.json`, the same in every browser."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS, ContentLevel, ContentLimits
from narratoria.contracts.read import UNDECODABLE
from narratoria.engine.content_limits import SETTINGS, keep_damaged, load_content_limits
from narratoria.errors import ContractViolation, Problem
from narratoria.files import file_lock, replace_file
from narratoria.web.app_state import AppState
from narratoria.web.operation import Operations

settings = Operations("Settings", "How the player likes to read.")

# light is the page's paper; system follows what the machine is set to, dark or light
Theme: TypeAlias = Literal["system", "light", "sepia", "dark", "black", "contrast"]
Font: TypeAlias = Literal["serif", "sans", "legible"]  # legible: wide letters and spaces, nothing slanted
LineWidth: TypeAlias = Literal["narrow", "normal", "wide"]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Music(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    volume: Share = 0.5
    on: bool = True


class ReadAloud(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The browser's own voices."""

    voice: Annotated[str, msgspec.Meta(max_length=200)] = ""
    rate: Annotated[float, msgspec.Meta(ge=0.25, le=4)] = 1.0


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Every setting has a value; what a request leaves out stays as it is."""

    free_text: bool = True  # whether the player may type what to do
    show_effects: bool = True  # whether a scene says what its answer changed
    text_size: Annotated[float, msgspec.Meta(ge=0.5, le=3)] = 1.0
    spacing: Annotated[float, msgspec.Meta(ge=0.5, le=3)] = 1.0
    theme: Theme = "system"
    font: Font = "serif"
    line_width: LineWidth = "normal"
    music: Music = Music()
    read_aloud: ReadAloud = ReadAloud()
    motion: Literal["system", "full", "reduced"] = "system"
    content_limits: ContentLimits = NO_LIMITS


class MusicChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    volume: Share | None = None
    on: bool | None = None


class ReadAloudChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    voice: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    rate: Annotated[float, msgspec.Meta(ge=0.25, le=4)] | None = None


class ContentLimitsChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    violence: ContentLevel | None = None
    fear: ContentLevel | None = None
    romance: ContentLevel | None = None
    children: bool | None = None


class SettingsChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Some of the settings."""

    free_text: bool | None = None
    show_effects: bool | None = None
    text_size: Annotated[float, msgspec.Meta(ge=0.5, le=3)] | None = None
    spacing: Annotated[float, msgspec.Meta(ge=0.5, le=3)] | None = None
    theme: Theme | None = None
    font: Font | None = None
    line_width: LineWidth | None = None
    music: MusicChange | None = None
    read_aloud: ReadAloudChange | None = None
    motion: Literal["system", "full", "reduced"] | None = None
    content_limits: ContentLimitsChange | None = None


class ShownSettings(Settings, frozen=True, kw_only=True, rename="camel"):
    """The settings, and what is wrong with the file that keeps them."""

    problem: str = ""


@settings.get("/settings")
async def show_settings(app_state: AppState) -> ShownSettings:
    """How the player likes to read.

    Where the file cannot be read, the strictest content limits hold until they are set anew.
    """
    return _shown(app_state.settings_folder)


@settings.put("/settings")
async def change_settings(app_state: AppState, body: SettingsChange) -> ShownSettings:
    """Change some settings, or all.

    They hold at once, and in every browser that the player has open.
    """
    path = app_state.settings_folder / SETTINGS
    with file_lock(path):
        after = _changed(read_settings(app_state.settings_folder), body)
        if load_content_limits(app_state.settings_folder).problem:
            keep_damaged(path)
        replace_file(path, msgspec.json.format(msgspec.json.encode(after)), private=True)
    return _shown(app_state.settings_folder)


def _shown(home: Path) -> ShownSettings:
    values = msgspec.structs.asdict(read_settings(home))
    return ShownSettings(**values, problem=load_content_limits(home).problem)


def read_settings(home: Path) -> Settings:
    """Return those that were saved, with the default for each that cannot be read; no limit is lifted."""
    try:
        return msgspec.json.decode((home / SETTINGS).read_bytes(), type=Settings)
    except FileNotFoundError:
        return Settings()
    except (OSError, *UNDECODABLE):
        pass
    values = {}
    with contextlib.suppress(OSError, *UNDECODABLE):
        document = msgspec.json.decode((home / SETTINGS).read_bytes(), type=dict)
        for one in msgspec.structs.fields(Settings):
            with contextlib.suppress(msgspec.ValidationError, KeyError):
                values[one.name] = msgspec.convert(document[one.encode_name], one.type)
    return Settings(**{**values, "content_limits": load_content_limits(home).limits})


def _changed(before: Settings, change: SettingsChange) -> Settings:
    merged = msgspec.to_builtins(before)
    for key, value in msgspec.to_builtins(change).items():
        merged[key] = {**merged[key], **value} if isinstance(value, dict) else value
    try:
        return msgspec.convert(merged, Settings)
    except msgspec.ValidationError as error:
        raise ContractViolation([Problem(str(error))]) from None
