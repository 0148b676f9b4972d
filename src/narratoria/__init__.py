"""Narratoria: an on-device storytelling engine. Kept empty so that a skill script pays nothing for it."""

__version__ = "0.1.0"
