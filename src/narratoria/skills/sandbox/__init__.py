"""Runs a skill's programs in a sandbox."""

from narratoria.skills.sandbox.confine import confine, run_confined
from narratoria.skills.sandbox.policy import Resources
from narratoria.skills.sandbox.probe import SandboxSupport, probe

__all__ = ["Resources", "SandboxSupport", "confine", "probe", "run_confined"]
