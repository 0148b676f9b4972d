"""Imports what was written for other programs, and reports what could not be mapped."""

from narratoria.campaign.importers.draft import ImportReport
from narratoria.campaign.importers.import_file import import_into

__all__ = ["ImportReport", "import_into"]
