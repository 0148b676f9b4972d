"""Runs the reader's slash commands: journal, people, map, character, search, edits, bookmarks, notes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from narratoria.engine.conditions import items_of
from narratoria.engine.journal import list_days, list_known_facts, list_open_matters
from narratoria.engine.known_places import PlaceOnMap, list_known_places
from narratoria.engine.memory.follow import record_body
from narratoria.engine.memory.recall import BARE
from narratoria.engine.people import place_of
from narratoria.engine.revise import add_note, edit_paragraph, mark_memory, remove_note, set_bookmark
from narratoria.engine.revisions import Mark
from narratoria.terminal import count_noun

if TYPE_CHECKING:
    from narratoria.campaign.campaign import Campaign
    from narratoria.cli.terminal_rendering import TerminalRenderer
    from narratoria.engine.scene import Scene
    from narratoria.engine.story_session import StorySession

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]
LONGEST_LINE = 90  # characters of a scene in the journal
MOST_LINES = 40
AROUND = 40  # characters on each side of a hit
MATTERS = {"promise": "You gave {} your word", "debt": "You owe {}", "claim": "{} owes you"}

HELP = [
    ("/journal", "what happened by day and place, what is still open, and what you know"),
    ("/people", "whom you have met, where they are and what they think of you"),
    ("/map", "places you have seen, the ways between them, and who was last seen where"),
    ("/character", "who you are, and what you carry"),
    ("/search WORDS", "where words stand in the story"),
    ("/edit [N] [WORDS]", "paragraph N of this scene in your own words; without words, as it was told"),
    ("/bookmark [N]", "marks this scene, or scene N, or takes the mark away; /bookmark list shows them"),
    (
        "/note [WORDS]",
        "a note to the narrator from now on; /note once WORDS for the next scene, /note drop N",
    ),
    ("/memory", "what is remembered; /memory pin N, /memory strike N, /memory free N, /memory struck"),
]


class ReaderCommands:
    """Answers what a reader looks up and changes, for one open story."""

    def __init__(
        self, session: StorySession, campaign: Campaign | None, renderer: TerminalRenderer, run: Run
    ) -> None:
        self._session, self._campaign, self._renderer, self._run = session, campaign, renderer, run

    def journal(self, _: str) -> None:
        snapshot = self._session.snapshot
        for day in list_days(snapshot.scenes):
            rows = [
                (str(entry.number), f"{self._place(stay.place)}: {self._action(entry.number, entry.action)}")
                for stay in day.stays
                for entry in stay.scenes
            ]
            self._renderer.note(f"Day {day.day}")
            self._renderer.table(rows[-MOST_LINES:])
        if matters := list_open_matters(snapshot.state.to_dict()):
            self._renderer.note("Still open")
            self._renderer.table(
                [
                    (
                        str(one.scene),
                        f"{MATTERS[one.kind].format(self._person(one.person))}: {one.text}".rstrip(": "),
                    )
                    for one in matters
                ]
            )
        known = list_known_facts(snapshot, self._campaign) if self._campaign else ()
        if known:
            self._renderer.note("What you know")
            self._renderer.table(
                [(str(one.scene), textwrap.shorten(one.text, 3 * LONGEST_LINE)) for one in known[:MOST_LINES]]
            )

    def people(self, _: str) -> None:
        campaign, progress = self._campaign, self._session.snapshot.progress
        met = [who for who in progress.met_people if campaign and who in campaign.people]
        if not met or campaign is None:
            self._renderer.note("You have met nobody yet.")
            return
        opinions = self._run(self._opinions())
        rows = []
        for who in met:
            at = place_of(who, campaign, progress)
            where = "dead" if who in progress.dead else "here" if at == progress.place else self._place(at)
            parts = [campaign.people[who].role, where, opinions.get(who, "")]
            rows.append((campaign.people[who].name, "; ".join(part for part in parts if part)))
        self._renderer.table(rows)

    def map(self, _: str) -> None:
        known = list_known_places(self._session.snapshot, self._campaign) if self._campaign else ()
        if not known:
            self._renderer.note("This story has no map.")
            return
        self._renderer.table([(one.place.name, self._about_place(one)) for one in known])
        self._renderer.note("To go somewhere, say so: “go to”, and its name.")

    def _about_place(self, known: PlaceOnMap) -> str:
        if not known.is_seen:
            return "not seen yet" if known.can_go else "not seen yet; no way leads there from here"
        people = " and ".join(self._person(who) for who in known.people)
        parts = [
            "you are here" if known.is_here else "" if known.can_go else "no way leads there from here",
            f"ways to {', '.join(self._place(to) for to in known.ways)}" if known.ways else "",
            f"here with you: {people}" if known.is_here else f"last seen here: {people}",
        ]
        return "; ".join(part for part in (parts if people else parts[:2]) if part)

    async def _opinions(self) -> dict[str, str]:
        from narratoria.web.memories import PEOPLE, words_for

        entries = await (await self._session.memory.scope()).exact_match("perception")
        return {
            one.identifier: words_for(getattr(one.record, "perception_score", 0.0), PEOPLE) for one in entries
        }

    def character(self, _: str) -> None:
        state = self._session.snapshot.state.to_dict()
        persona = state.get("persona")
        about = persona if isinstance(persona, dict) else {}
        rows = [
            (key, str(value))
            for key, value in about.items()
            if isinstance(value, str | int | float) and value not in ("", None)
        ]
        stats = about.get("stats")
        rows += [(key, str(value)) for key, value in (stats if isinstance(stats, dict) else {}).items()]
        rows += [("carries", item) for item in dict.fromkeys(items_of(state))]
        if rows:
            self._renderer.table(rows)
        else:
            self._renderer.note("Nobody has said who you are; you carry nothing.")

    def search(self, words: str) -> None:
        if not words:
            self._renderer.note("Say what to look for: /search WORDS.")
            return
        rows = list(self._hits(words.casefold()))
        if rows:
            self._renderer.table(rows[:MOST_LINES])
        else:
            self._renderer.note("Nowhere in this story.")

    def _hits(self, words: str) -> Iterator[tuple[str, str]]:
        for scene in reversed(self._session.snapshot.scenes):
            for paragraph in scene.paragraphs:
                at = paragraph.casefold().find(words)
                if at >= 0:
                    start, end = max(0, at - AROUND), at + len(words) + AROUND
                    yield str(scene.number), f"…{paragraph[start:end]}…"

    def edit(self, rest: str) -> None:
        scene = self._present_scene()
        number, _, words = rest.partition(" ")
        if not number:
            self._list_paragraphs(scene)
            return
        if not number.isdecimal() or not 1 <= int(number) <= len(scene.paragraphs):
            self._renderer.note(f"This scene has paragraphs 1 to {len(scene.paragraphs)}.")
            return
        text = words.strip() or None
        edited = self._run(edit_paragraph(self._session, scene.number, int(number) - 1, text))
        self._renderer.note("In your words now:" if text else "As it was told:")
        self._list_paragraphs(edited)

    def _list_paragraphs(self, scene: Scene) -> None:
        told = scene.original.paragraphs if scene.original else scene.paragraphs
        self._renderer.table(
            [
                (f"{number}{' edited' if paragraph != before else ''}", paragraph)
                for number, (paragraph, before) in enumerate(zip(scene.paragraphs, told, strict=True), 1)
            ]
        )

    def _present_scene(self) -> Scene:
        return self._session.snapshot.scenes[-1]

    def bookmark(self, rest: str) -> None:
        marked = self._session.snapshot.progress.bookmarks
        scenes = {scene.number: scene for scene in self._session.snapshot.scenes}
        if rest == "list":
            rows = [(str(number), self._action(number, scenes[number].action)) for number in marked]
            self._renderer.table(rows) if rows else self._renderer.note("No bookmarks yet.")
        elif rest and (not rest.isdecimal() or int(rest) not in scenes):
            self._renderer.note(f"This story has scenes 1 to {self._present_scene().number}.")
        else:
            number = int(rest or self._present_scene().number)
            self._run(set_bookmark(self._session, number, is_set=number not in marked))
            self._renderer.note(
                f"Bookmark {'removed from' if number in marked else 'set in'} scene {number}."
            )

    def note(self, rest: str) -> None:
        notes = self._session.snapshot.progress.notes
        first, _, words = rest.partition(" ")
        if first == "drop" and words.strip().isdecimal() and 1 <= int(words) <= len(notes):
            self._run(remove_note(self._session, notes[int(words) - 1].id))
            self._renderer.note("Removed.")
        elif first == "drop":
            self._renderer.note(f"There are {count_noun(len(notes), 'note')}; /note lists them.")
        elif rest:
            is_once = first == "once" and bool(words.strip())
            self._run(add_note(self._session, words if is_once else rest, standing=not is_once))
            self._renderer.note("Noted. Only a telling model follows notes.")
        elif notes:
            self._renderer.table(
                [
                    (f"{at}{'' if one.standing else ' once'}", one.text)
                    for at, one in enumerate(self._session.snapshot.progress.notes, 1)
                ]
            )
        else:
            self._renderer.note("No notes. /note WORDS leaves one; only a telling model follows notes.")

    def memory(self, rest: str) -> None:
        progress = self._session.snapshot.progress
        action, _, number = rest.partition(" ")
        if action == "struck":
            rows = [(one.id, one.text) for one in progress.struck]
        else:
            rows = self._run(self._remembered())
        marks: dict[str, Mark] = {"pin": "pinned", "strike": "struck", "free": "none"}
        if action in marks:
            struck = [(one.id, one.text) for one in progress.struck]
            among = [*rows, *struck] if action == "free" else rows
            if not number.strip().isdecimal() or not 1 <= int(number) <= len(among):
                self._renderer.note(f"There are 1 to {len(among)}; /memory lists them.")
                return
            self._run(mark_memory(self._session, among[int(number) - 1][0], marks[action]))
            done = {"pin": "Pinned", "strike": "Struck out, and not remembered any more", "free": "As it was"}
            self._renderer.note(f"{done[action]}: {among[int(number) - 1][1]}")
        elif rows:
            first = len(self._run(self._remembered())) if action == "struck" else 0
            self._renderer.table(
                [
                    (f"{first + at}{' pinned' if one in progress.pinned else ''}", text)
                    for at, (one, text) in enumerate(rows, 1)
                ]
            )
        else:
            self._renderer.note("Nothing.")

    async def _remembered(self) -> list[tuple[str, str]]:
        entries = await (await self._session.memory.scope()).exact_match("memory", newest_first=True)
        rows = [(one.identifier, str(record_body(one)["summary"])) for one in entries]
        return [row for row in rows if not row[1].startswith(BARE)][:MOST_LINES]

    def _place(self, place: str) -> str:
        known = self._campaign.places.get(place) if self._campaign else None
        return known.name if known else place

    def _person(self, person: str) -> str:
        known = self._campaign.people.get(person) if self._campaign else None
        return known.name if known else person

    def _action(self, number: int, action: str) -> str:
        return "the story begins" if number == 1 else textwrap.shorten(action, LONGEST_LINE)
