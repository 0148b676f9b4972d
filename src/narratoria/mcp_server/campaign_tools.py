"""Tools with which an MCP client writes campaigns: lists them, reads and writes their files, checks them."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

import msgspec
from pydantic import Field

from narratoria import paths
from narratoria.campaign.authoring import PUBLISHED_SCHEMAS, NewCampaign, standalone_schema
from narratoria.campaign.authoring import create_campaign as write_campaign
from narratoria.campaign.check import check_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import NarratoriaException
from narratoria.mcp_server.campaign_files import LARGEST_FILE, list_files, read_text_file, write_text_file
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import campaign_folders, cards, folder_of

CampaignName = Annotated[str, Field(description="the name of a campaign, as list_campaigns has it")]
FilePath = Annotated[
    str, Field(description="a path in the campaign's folder, such as plot/beats.json", max_length=240)
]
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_SHOWN = ("name", "title", "description", "author", "genre", "tone", "contentRating", "playable", "problems")


class CampaignTools:
    """Holds the tools for campaigns."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state

    async def list_campaigns(self) -> dict[str, Any]:
        """List the campaigns that stories can be told from; those that are not bundled can be changed."""
        campaign_cards = await asyncio.to_thread(cards, self._app_state)
        folders = campaign_folders(self._app_state)
        documents = []
        for card in campaign_cards:
            document = msgspec.to_builtins(card)
            bundled = folders[card.name].is_relative_to(paths.BUNDLED_CAMPAIGNS)
            presets = [preset["name"] for preset in document["creation"]["presets"]]
            shown = {key: document[key] for key in _SHOWN if document.get(key) not in (None, "")}
            documents.append({**shown, "presets": presets, "bundled": bundled})
        return {"campaigns": documents}

    async def create_campaign(
        self,
        *,
        name: Annotated[str, Field(description="of its folder: lowercase letters, digits and hyphens")],
        title: Annotated[str, Field(min_length=1, max_length=200)],
        premise: Annotated[str, Field(description="what has happened when a story begins")] = "",
        setting: Annotated[str, Field(description="the world, in a paragraph")] = "",
        place: Annotated[str, Field(description="the name of the place it begins at")] = "",
        person: Annotated[str, Field(description="the name of somebody who is there")] = "",
        role: Annotated[str, Field(description="what that person is")] = "",
    ) -> dict[str, Any]:
        """Begin a campaign of one's own in Narratoria's home, with its first files."""
        if not _NAME.fullmatch(name):
            raise NarratoriaException(
                f"'{name[:80]}' is no name for a campaign; use lowercase letters, digits and hyphens"
            )
        if name in campaign_folders(self._app_state):
            raise NarratoriaException(f"there is a campaign '{name}' already; choose another name")
        answers = NewCampaign(
            title=title, premise=premise, setting=setting, place=place, person=person, role=role
        )
        folder = paths.shared_home() / "campaigns" / name
        files = await asyncio.to_thread(write_campaign, folder, answers)
        return {"campaign": name, "files": list(files)}

    async def list_campaign_files(self, campaign: CampaignName) -> dict[str, Any]:
        """List the files of a campaign with their sizes."""
        files = await asyncio.to_thread(list_files, folder_of(self._app_state, campaign))
        return {"campaign": campaign, "files": [{"path": path, "bytes": size} for path, size in files]}

    async def read_campaign_file(self, campaign: CampaignName, path: FilePath) -> dict[str, Any]:
        """Read a text file of a campaign."""
        text = await asyncio.to_thread(read_text_file, folder_of(self._app_state, campaign), path)
        return {"path": path, "text": text}

    async def write_campaign_file(
        self,
        campaign: CampaignName,
        path: FilePath,
        text: Annotated[str, Field(description="the whole file", max_length=LARGEST_FILE)],
    ) -> dict[str, Any]:
        """Write a text file of a campaign of one's own, and say what is wrong with the campaign then."""
        folder = folder_of(self._app_state, campaign)
        is_new = await asyncio.to_thread(write_text_file, folder, path, text)
        return {"path": path, "new": is_new, **await self.validate_campaign(campaign)}

    async def validate_campaign(self, campaign: CampaignName) -> dict[str, Any]:
        """Find what is wrong with the files of a campaign, each with its file and line and what to do."""
        report = await asyncio.to_thread(validate_campaign, folder_of(self._app_state, campaign))
        return {
            "ok": report.ok,
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "findings": [finding.as_document() for finding in report.problems],
        }

    async def check_campaign(self, campaign: CampaignName) -> dict[str, Any]:
        """Find out which beats and endings of a campaign can be reached, and what prevents the others."""
        report = await asyncio.to_thread(check_campaign, folder_of(self._app_state, campaign))
        return {
            "ok": report.ok,
            "beats": [one.as_document() for one in report.beats],
            "endings": [one.as_document() for one in report.endings],
            "findings": [finding.as_document() for finding in report.problems],
        }

    async def read_campaign_schema(
        self, name: Annotated[str, Field(description="such as plot-beats, npc-profile or manifest")]
    ) -> dict[str, Any]:
        """Read the JSON Schema of one of a campaign's files."""
        if name not in PUBLISHED_SCHEMAS:
            raise NarratoriaException(
                f"there is no schema '{name}'; there are: {', '.join(PUBLISHED_SCHEMAS)}"
            )
        return {"name": name, "for": PUBLISHED_SCHEMAS[name], "schema": standalone_schema(name)}
