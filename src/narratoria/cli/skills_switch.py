"""`narratoria skills enable` and `disable`."""

from __future__ import annotations

import click

from narratoria import paths
from narratoria.cli.skills_found import find, tell
from narratoria.skills.settings import change_settings, load_settings
from narratoria.terminal import say

EXIT_CODES = """

\b
Exit code:
  0  done, also when it was so already
  2  there is no such skill, or the decision cannot be written down
"""


@click.command(short_help="Let plans use a skill.", help=f"Let plans use the skill NAME again.{EXIT_CODES}")
@click.argument("name")
def enable(*, name: str) -> None:
    _switch(name, enabled=True)
    say(f"{name} is on.")
    tell(find(name).problems, "!")


@click.command(
    short_help="Keep plans from using a skill.",
    help=f"Keep plans from using the skill NAME. Its settings and its data stay.{EXIT_CODES}",
)
@click.argument("name")
def disable(*, name: str) -> None:
    _switch(name, enabled=False)
    say(f"{name} is off.")


def _switch(name: str, *, enabled: bool) -> None:
    find(name)
    broken = load_settings(paths.home()).problems
    change_settings(paths.home(), lambda settings: settings.with_enabled(name, enabled))
    tell(broken, "!")
