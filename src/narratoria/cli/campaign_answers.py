"""Defines the campaign commands about answers: `questions` lists what has none, `answer` explains one."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria.cli.campaign import AS_JSON, find_campaign_folder
from narratoria.errors import NarratoriaException
from narratoria.terminal import count_noun, paint, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.campaign import Campaign
    from narratoria.engine.answer_explanation import (
        AnswerExplanation,
        ExplainedAnswer,
        ExplainedIntent,
    )
    from narratoria.engine.persistence.library import Library
    from narratoria.engine.question_autoplay import QuestionRun
    from narratoria.engine.unanswered import QuestionGroup, UnansweredQuestion

MOST_WORDINGS = 3  # of one question that are shown
MOST_EVIDENCE = 4  # pieces for one intent that are shown
LONGEST_EXCERPT = 90  # characters of evidence


@click.command(short_help="List what players asked and it could not answer.")
@click.argument("campaign", default=".")
@click.option(
    "--autoplay",
    "typed",
    type=click.IntRange(min=1),
    metavar="N",
    help="Play it, type N ordinary questions, and list those instead of the players'.",
)
@click.option(
    "--seed", type=int, default=1, metavar="N", help="With --autoplay: the same seed asks the same."
)
@AS_JSON
def questions(*, campaign: str, typed: int | None, seed: int, as_json: bool) -> None:
    """List what players asked in the stories of this home that CAMPAIGN could not answer.

    Questions are grouped by whom they were put to and by their words, with how often they were asked, the
    piece of the campaign that comes nearest, and the file to write an answer into. With --autoplay a story is
    played instead, in a store of its own that is thrown away, and ordinary questions are typed.

    \b
    Exit code:
      0  done, whether there are such questions or not
      2  there is no such campaign
    """
    from narratoria import app
    from narratoria.engine.unanswered import group_questions

    loaded = app.load_or_enrich_campaign(find_campaign_folder(campaign).resolve())
    run: QuestionRun | None = None
    if typed is None:
        unanswered, stories = asyncio.run(_from_home(loaded))
    else:
        unanswered, run = asyncio.run(_from_autoplay(loaded, typed, seed))
        stories = len(run.stories)
    groups = group_questions(unanswered, loaded)
    if as_json:
        document = {
            "campaign": loaded.name,
            "stories": stories,
            **({"asked": run.questions, "notUnderstood": run.not_understood} if run else {}),
            "unanswered": len(unanswered),
            "questions": groups,
        }
        _say_json(document)
    else:
        say("\n".join(_format_questions(groups, stories, run)))


async def _from_home(campaign: Campaign) -> tuple[list[UnansweredQuestion], int]:
    from narratoria import app

    async with app.open_library() as library:
        stories = [story.id for story in await library.stories(campaign.name)]
        return await _collect(library, stories, campaign), len(stories)


async def _from_autoplay(
    campaign: Campaign, count: int, seed: int
) -> tuple[list[UnansweredQuestion], QuestionRun]:
    from narratoria import app
    from narratoria.engine.question_autoplay import ask_questions

    with tempfile.TemporaryDirectory(prefix="narratoria-questions-") as folder:
        async with app.open_isolated_library(Path(folder)) as library:
            run = await ask_questions(library, campaign, count, seed)
            return await _collect(library, run.stories, campaign), run


async def _collect(library: Library, stories: Sequence[str], campaign: Campaign) -> list[UnansweredQuestion]:
    """Return the unanswered questions of stories; a turn that branches share counts once."""
    from narratoria.engine.unanswered import find_unanswered

    unanswered: dict[tuple[str, str, int], UnansweredQuestion] = {}
    for story in stories:
        records = await library.turns(story)
        begun = {record.output.scene.number: record.begun_at for record in records}
        for question in find_unanswered(records, campaign, story):
            unanswered.setdefault((question.words, begun[question.scene], question.scene), question)
    return list(unanswered.values())


def _format_questions(
    groups: Sequence[QuestionGroup], stories: int, run: QuestionRun | None
) -> Iterator[str]:
    source = (
        f"{count_noun(run.questions, 'question')} typed" if run else count_noun(stories, "story", "stories")
    )
    if not groups:
        yield f"{source}: nothing was asked that could not be answered."
    for addressee, listed in groupby(
        sorted(groups, key=lambda one: one.addressee), key=lambda one: one.addressee
    ):
        yield paint(visible(addressee or "Nobody in particular"), sys.stdout, bold=True)
        for group in listed:
            yield from _format_group(group)
        yield ""
    if run and run.not_understood:
        yield f"{count_noun(len(run.not_understood), 'question')} could not be made out:"
        yield from (f"  {visible(words)}" for words in run.not_understood)
        yield ""
    if groups:
        times = sum(group.times for group in groups)
        yield f"{source}: {times} not answered, {count_noun(len(groups), 'different question')}."


def _format_group(group: QuestionGroup) -> Iterator[str]:
    yield f"  {group.times:>3} ×  {visible(group.question)}"
    for wording in [one for one in group.wordings if one != group.question][:MOST_WORDINGS]:
        yield paint(f"{'':9}{visible(wording)}", sys.stdout, dim=True)
    if nearest := group.nearest:
        where = f"  ({nearest.file})" if nearest.file else ""
        yield f"{'':9}nearest: {_cut(nearest.text)}  {nearest.relevance:.2f}{where}"
    field = f", {group.field}" if group.field else ""
    yield f"{'':9}write:   {visible(group.file)}{field}"


@click.command(short_help="Explain how words are read and answered.")
@click.argument("campaign")
@click.argument("words")
@click.option("--place", metavar="P", help="Where the player is.  [default: where stories begin]")
@click.option("--seed", type=int, default=1, metavar="N", help="Another seed chooses among units that fit.")
@AS_JSON
def answer(*, campaign: str, words: str, place: str | None, seed: int, as_json: bool) -> None:
    """Explain how CAMPAIGN answers the WORDS of a player, at a place where nothing has happened yet.

    Shows the intents that are read, what they are routed to, the evidence with its relevance, the unit of the
    repertoire with its fit, and the answer for each way a roll can end. Nothing is played or kept.

    \b
    Exit code:
      0  done, also where the words would be asked back
      2  there is no such campaign or place
    """
    from narratoria import app

    loaded = app.load_or_enrich_campaign(find_campaign_folder(campaign).resolve())
    explained = asyncio.run(_explain(words, loaded, _find_place(place, loaded), seed))
    if as_json:
        _say_json(explained)
    else:
        say("\n".join(_format_explanation(explained)))


def _find_place(name: str | None, campaign: Campaign) -> str:
    if not name:
        return campaign.start
    wanted = name.casefold()
    for place in campaign.places.values():
        if wanted in (place.id.casefold(), place.name.casefold(), place.in_a_sentence.casefold()):
            return place.id
    raise NarratoriaException(f"there is no place '{name}'; there are: {', '.join(campaign.places)}")


async def _explain(words: str, campaign: Campaign, place: str, seed: int) -> AnswerExplanation:
    from narratoria import app
    from narratoria.engine.answer_explanation import explain_answer, story_at

    async with app.use_understander() as understander:
        return await explain_answer(words, story_at(campaign, place, seed), campaign, understander)


def _format_explanation(explained: AnswerExplanation) -> Iterator[str]:
    people = f", with {', '.join(explained.people)}" if explained.people else ""
    yield paint(f"{visible(explained.place)}{visible(people)}", sys.stdout, bold=True)
    if explained.route == "asked back":
        yield f"asked back: {visible(explained.question)}"
        yield from (f"  {visible(reading)}" for reading in explained.readings)
        return
    for number, intent in enumerate(explained.intents, 1):
        yield from _format_intent(number, intent, explained.threshold)
    yield f"routed to: {visible(explained.route)}"
    for told in explained.answers:
        yield from _format_answer(told)


def _format_intent(number: int, explained: ExplainedIntent, threshold: float) -> Iterator[str]:
    intent = explained.intent
    mentions = {"person": intent.person, "thing": intent.thing, "place": intent.place}
    parts = [
        f"{kind} {one.name or one.text}{'' if one.is_known else ' (unknown)'}"
        for kind, one in mentions.items()
        if one
    ]
    parts += [f"topic “{intent.topic}”"] if intent.topic else []
    details = f": {', '.join(parts)}" if parts else ""
    yield f"intent {number}: {intent.act}{visible(details)}  (confidence {intent.confidence:.2f})"
    for one in explained.evidence[:MOST_EVIDENCE]:
        mark = "*" if one.relevance >= threshold else " "
        secret = ", secret" if one.secret else ""
        yield f"  {mark} {one.relevance:.2f}  {visible(one.id)} ({one.source}{secret}): {_cut(one.text)}"
        if one.file:
            yield paint(f"{'':10}{visible(one.file)}", sys.stdout, dim=True)
    if not explained.evidence:
        yield "    no evidence"
    if reply := explained.reply:
        yield f"  reply: {reply.relevance:.2f}  {visible(reply.id)} ({reply.source}): {_cut(reply.text)}"
        yield from ([paint(f"{'':10}{visible(reply.file)}", sys.stdout, dim=True)] if reply.file else [])


def _format_answer(answer: ExplainedAnswer) -> Iterator[str]:
    yield ""
    yield paint(f"when the roll is {answer.outcome}" if answer.outcome else "answer", sys.stdout, bold=True)
    yield f"  source: {visible(answer.source)}"
    for unit in answer.units:
        purpose = f"{unit.kind or ' or '.join(unit.acts)}, {unit.outcome}"
        purpose += f", {unit.evidence}" if unit.evidence else ""
        yield f"  unit:   {visible(unit.id)} ({purpose}), fit {unit.fit:.2f}, {visible(unit.file)}"
    for paragraph in answer.text.split("\n\n"):
        yield textwrap.fill(visible(paragraph), 96, initial_indent="    ", subsequent_indent="    ")
    yield f"  kept:   {visible(answer.fact)}"
    if answer.effects:
        yield f"  effects: {visible('. '.join(answer.effects))}."


def _cut(text: str) -> str:
    return visible(textwrap.shorten(text, LONGEST_EXCERPT, placeholder=" …"))


def _say_json(document: Any) -> None:
    import msgspec

    say(json.dumps(msgspec.to_builtins(document), ensure_ascii=False, indent=2))
