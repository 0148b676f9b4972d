"""Says who tells the stories at present: a model, or Narratoria's own composer."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from narratoria.app import open_skills
from narratoria.skills.config import read_config
from narratoria.web.models import model_status

STORYTELLER = "storyteller"
TELLING_TIER = "narrates"


class Teller(msgspec.Struct, frozen=True, rename="camel"):
    """Who tells the scenes to come; only a model follows notes."""

    kind: Literal["model", "composer"]
    name: str = ""


def find_teller(home: Path) -> Teller:
    """Return who tells the next scene, as far as the settings say."""
    skill = next((one for one in open_skills().skills if one.name == STORYTELLER), None)
    provider = read_config(skill, home).values.get("provider", "local") if skill else "local"
    if provider != "local":
        return Teller("model", str(provider))
    model = model_status()
    if model.state == "here" and model.tier == TELLING_TIER:
        return Teller("model", model.title or model.name)
    return Teller("composer")
