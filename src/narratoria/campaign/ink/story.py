"""Loads ink stories and plays them: what the player reads and can choose, and the state to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from narratoria.campaign.ink.compiler import compile_story
from narratoria.campaign.ink.machine import Machine
from narratoria.campaign.ink.markup import strip_markup
from narratoria.campaign.ink.parser import LINES_PER_FILE, Parser
from narratoria.campaign.ink.program import Program
from narratoria.campaign.ink.state import RunState, read_state, write_state
from narratoria.campaign.ink.values import InkRuntimeError
from narratoria.errors import Problem

LARGEST_SEED = 2_147_483_647
DEEPEST_SOURCE = 5_000_000  # characters of a story with all that it includes


@dataclass(frozen=True, slots=True)
class InkTurn:
    """Holds what a story says after a choice, and what it offers then."""

    paragraphs: tuple[str, ...]
    choices: tuple[str, ...]
    state: Mapping[str, Any]  # plain data, to go on from
    has_ended: bool = False
    problem: str = ""  # what the story did that cannot be done, for its author


class InkStory:
    """Plays one story; it holds no state of its own."""

    def __init__(
        self,
        program: Program,
        files: tuple[str, ...],
        digest: str,
        clean: Callable[[str], str] = strip_markup,
    ) -> None:
        self.program, self.files, self.digest = program, files, digest
        self._clean = clean  # takes the markup out of a line
        self.tags = program.tags

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InkStory) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def begin(self, seed: int) -> InkTurn:
        """Return the beginning of the story; the seed decides what chance decides in it."""
        state = RunState(seed=seed % LARGEST_SEED)
        return self._run(state, lambda machine: machine.begin())

    def choose(self, state: Mapping[str, Any], index: int) -> InkTurn:
        """Return what comes of a choice; raise ValueError for one that is not on offer."""
        run = read_state(state)
        if not self.owns(state) or not 0 <= index < len(run.choices):
            raise ValueError("this choice is not on offer")
        return self._run(run, lambda machine: machine.choose(index))

    def owns(self, state: Mapping[str, Any]) -> bool:
        """Return whether a state was made by this very story, and not by an earlier version of it."""
        return state.get("story") == self.digest

    def offers_of(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the choices that are on offer in a state; none in one that belongs to another story."""
        return tuple(self._clean(one.text) for one in read_state(state).choices) if self.owns(state) else ()

    def _run(self, state: RunState, run: Callable[[Machine], None]) -> InkTurn:
        machine, problem = Machine(self.program, state), ""
        state.choices = list(state.choices)
        try:
            run(machine)
        except (InkRuntimeError, RecursionError) as error:
            reason = str(error) if isinstance(error, InkRuntimeError) else "it is nested too deeply"
            file, line = self.locate(machine.line)
            problem = f"{file}:{line}: {reason}" if line else reason
            state.choices, state.has_ended = [], True
        lines, _ = machine.take_output()
        return InkTurn(
            paragraphs=tuple(text for line in lines if (text := self._clean(line))),
            choices=tuple(self._clean(one.text) for one in state.choices),
            state=write_state(state, self.digest),
            has_ended=state.has_ended,
            problem=problem,
        )

    def locate(self, line: int) -> tuple[str, int]:
        return _locate(line, self.files)


def _locate(line: int, files: tuple[str, ...] | list[str]) -> tuple[str, int]:
    index, own = divmod(line, LINES_PER_FILE)
    return files[min(index, len(files) - 1)], own


def parse_ink(
    file: str, text: str, read_file: Callable[[str], str | None] = lambda _: None
) -> tuple[InkStory, list[Problem]]:
    """Return a story and what is wrong with it by file and line; one with problems is not to be played.

    `read_file` returns the text of a file that is included, by its name.
    """
    texts: dict[str, str] = {file: text}

    def read(name: str) -> str | None:
        found = read_file(name)
        if found is not None:
            texts[name] = found
        return found if sum(map(len, texts.values())) <= DEEPEST_SOURCE else None

    parser = Parser(read)
    tree = parser.parse(file, text)
    problems = list(parser.problems)
    try:
        program, found = compile_story(tree)
    except RecursionError:
        program, found = Program(), [(0, "the story is nested too deeply")]
    problems += found
    digest = sha256("\0".join(f"{name}\0{texts[name]}" for name in parser.files).encode()).hexdigest()[:16]
    located = sorted({(_locate(line, parser.files), message) for line, message in problems})
    return (
        InkStory(program, tuple(parser.files), digest),
        [Problem(message, file=name, line=line) for (name, line), message in located],
    )


@lru_cache(maxsize=8)
def _parse_cached(files: tuple[tuple[str, str], ...]) -> tuple[InkStory, tuple[Problem, ...]]:
    texts = dict(files)
    story, problems = parse_ink(files[0][0], files[0][1], texts.get)
    return story, tuple(problems)
