"""Brings in what was written for other programs, as far as it maps, and says what did not."""

from narratoria.campaign.importers.import_file import import_into
from narratoria.campaign.importers.report import ImportReport

__all__ = ["ImportReport", "import_into"]
