"""Imports what was written for other programs, and reports what could not be mapped."""

from narratoria.campaign.importers.draft import ImportReport
from narratoria.campaign.importers.import_file import import_into
from narratoria.campaign.importers.story_archive import holds_story

__all__ = ["ImportReport", "holds_story", "import_into"]
