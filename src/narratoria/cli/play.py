"""`narratoria play`: a story in the terminal."""

from __future__ import annotations

import click

FIRST_STORY = "tomorrows-post"


@click.command()
@click.argument("campaign", default=FIRST_STORY)
@click.option("--terminal", is_flag=True, expose_value=False, help="Play in the terminal, as it does anyway.")
@click.option("--story", metavar="ID", help="Go on with this story; `narratoria stories list` names them.")
@click.option("--seed", type=int, metavar="N", help="Tell a story that can be told again; begins a new one.")
@click.option("--new", is_flag=True, help="Begin a new story instead of going on with the last one.")
@click.option("--title", metavar="TEXT", help="What a new story is called.")
@click.option("--free-text", is_flag=True, help="Take actions in your own words beside the choices.")
@click.option("--plain", is_flag=True, help="No colours.")
def play(
    *,
    campaign: str,
    story: str | None,
    seed: int | None,
    new: bool,
    title: str | None,
    free_text: bool,
    plain: bool,
) -> None:
    """Play a story: read, and choose by number.

    CAMPAIGN is the name of a campaign or its folder. A story goes on where it was left; every choice and
    every scene is on the disk before you see it. q leaves it, /help says what else there is.

    \b
    Examples:
      narratoria play
      narratoria play --new --seed 7
      printf '1\\n2\\n' | narratoria play --new
    """
    from narratoria.cli.table import Table

    Table(plain=plain, free_text=free_text).sit_down(
        campaign, story=story, seed=seed, new=new or seed is not None, title=title
    )
