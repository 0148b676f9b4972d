"""`python -m evals.tones`: do people speak to the player as they feel?

Everybody in the bundled stories is met nine times with each of nine opinions, told by the composer, and read
by signs of fondness and dislike that share nothing with its lines; a greeting counts as what its author calls
it. Counted a second time without the sentences that an author wrote for this person.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import msgspec

from evals.voices.__main__ import profile_lines
from narratoria import app, paths
from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.people import people_at, place_of
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.skills.health import SessionHealth

CAMPAIGNS = sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())
BANDS = {"warm": (20, 45, 100), "neutral": (-19, 0, 19), "cold": (-20, -45, -100)}  # of perception
TONES = tuple(BANDS)
SAID = (
    "Talk to {name}",
    "Talk to {name}",
    "Tell {name} what you have found out",
    "Ask {name} about the others",
    *("Talk to {name}",) * 5,
)

# what a reader takes for fondness, and for its opposite
FOND = (
    r"\b(?:glad|pleased|happy|delighted) (?:to see you|that (?:it is|it's|you)|of your company|you)",
    r"\b(?:mak\w+ room|shifts? (?:along|over|up)|sav\w+ (?:this|it|a place|a seat)|kept) .{0,12}for you\b",
    r"\b(?:on (?:one's own|your) side|draws you aside|takes your (?:arm|hand)|hand on your \w+|hugs? you)",
    r"\b(?:smil(?:es|ing)|grins?|beams?|laughs? with you|your friend|dear)\b",
    r"\b(?:good|easy) company|easier with you|in no hurry for you|stay as long as you",
    r"anything I can do|and means it|you'll do what's right|there are two of us who know",
    r"does not trouble to choose words|speaks? freely|both of them good ones",
    r"catches your eye|nods? (?:to|at) you|smallest of nods|does not pretend otherwise|trusts? you",
)
AVERSE = (
    r"\b(?:no|not|un) ?welcome\b|than is kind|cold(?:ly)? (?:to|at|towards) you|only just\b",
    r"costs? .{0,40}(?:speak|talk) to you|short with you|scowls?|glares?|frowns? at you|sneers?",
    r"(?:looks?|stares?) (?:past|through|away from) you|not looking at you|turns? (?:\w+ )?back on you",
    r"have it over with|rid of you|for you to (?:leave|go)\b|go away|leave me|keep away",
    r"nothing for you|nothing to say to you|\brefused\b|[“ ]not to you|said what I'll say|none of your",
    r"further off|back of your head|stops? speaking when you|does not ask for them",
    r"hears it as one hears rain|is that all\?|feels like the opposite|does not trust you",
)


def read_tone(text: str, person: str, campaign: Campaign) -> str:
    """How somebody seems to feel, by what they do and say; a greeting counts as what its author calls it."""
    greetings = campaign.people[person].speech_patterns.greetings
    words = re.sub(r",” [^“”]*?[.] “|[.!?]” [^“”]*?[.] “", " ", text)
    said = [tone for tone, greeting in greetings.items() if (_bare(greeting) or "?") in _bare(words)]
    fond = sum(bool(re.search(sign, text, re.IGNORECASE)) for sign in FOND) + said.count("warm")
    averse = sum(bool(re.search(sign, text, re.IGNORECASE)) for sign in AVERSE) + said.count("cold")
    return "warm" if fond > averse else "cold" if averse > fond else "neutral"


def _spoken(sentence: str) -> str:
    """Return the words of a sentence that are said aloud, or all of them where no quotation mark is."""
    said = re.findall(r"“([^”]*)", sentence)
    return _bare(" ".join(said) if said else sentence)


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


@dataclass(frozen=True, slots=True)
class Meeting:
    campaign: Campaign
    person: str
    tone: str
    text: str

    @property
    def tone_read(self) -> str:
        return read_tone(self.text, self.person, self.campaign)

    @property
    def tone_read_without_profile(self) -> str:
        """The tone of what is left when all sentences that the author wrote for this person are taken out."""
        profile = self.campaign.people[self.person]
        written = " ".join(_bare(line) for line in profile_lines(profile))
        sentences = re.split(r"(?<=[.!?…])[”]?\s+", self.text)
        rest = " ".join(one for one in sentences if not (_spoken(one) and _spoken(one) in written))
        return read_tone(rest, self.person, self.campaign)


def tell(choice: Choice, session: StorySnapshot, campaign: Campaign) -> tuple[StorySnapshot, str]:
    """The story after this choice as the composer tells it, and the paragraph about what was done."""
    deed = choose(choice, session, campaign)
    draft = build_facts(deed, session, campaign).draft
    number = session.progress.scene + 1
    scene = Scene(number=number, action="", place=deed.place.id, paragraphs=tuple(draft), choices=())
    after = advance_story(scene, deed, session, campaign, state=session.state, health=SessionHealth())
    return after, draft[0]


def before(person: str, campaign: Campaign) -> StorySnapshot:
    """The story begun, and the player where this person is."""
    session, _ = tell(BEGIN, StorySnapshot(id="s", campaign=campaign.name, seed=3), campaign)
    place = place_of(person, campaign, session.progress) or session.progress.place
    return msgspec.structs.replace(session, progress=msgspec.structs.replace(session.progress, place=place))


def thinking(person: str, score: int, session: StorySnapshot) -> StorySnapshot:
    state = session.state.apply_patch({"perception": {person: score}})
    return msgspec.structs.replace(session, state=state)


def talk(person: str, campaign: Campaign, said: str = SAID[0]) -> Choice:
    return Choice(text=said.format(name=campaign.people[person].name), kind="talk", target=person)


@cache
def meetings(name: str) -> tuple[Meeting, ...]:
    return tuple(_meetings(app.open_campaign(name)))


def _meetings(campaign: Campaign) -> Iterator[Meeting]:
    for person in campaign.people:
        for tone, scores in BANDS.items():
            for score in scores:
                session = before(person, campaign)
                for said in SAID:
                    if person not in people_at(session.progress.place, campaign, session.progress):
                        break  # the story has called them away
                    session = thinking(person, score, session)  # whatever has happened meanwhile
                    session, text = tell(talk(person, campaign, said), session, campaign)
                    yield Meeting(campaign, person, tone, text)


def count_read(met: Iterable[Meeting]) -> tuple[int, int, int]:
    """Return how many meetings read as felt, how many without a profile's words, and of how many."""
    every = list(met)
    return (
        sum(one.tone_read == one.tone for one in every),
        sum(one.tone_read_without_profile == one.tone for one in every),
        len(every),
    )


def main() -> int:
    for tone in (*TONES, ""):
        met = [one for name in CAMPAIGNS for one in meetings(name) if not tone or one.tone == tone]
        whole, without, of = count_read(met)
        shares = f"{whole / of:6.1%} read as felt, {without / of:6.1%} without the profiles' words"
        print(f"{tone or 'all':8}{shares} ({of})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
