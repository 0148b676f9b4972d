"""Defines the writers of a scene: the local model behind the host, and hosted ones, each timed."""

from __future__ import annotations

import time
from collections import namedtuple

from narratoria import sdk
from narratoria.sdk import brief, host, narration, structured_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NamedTuple

    class Task(NamedTuple):
        system: str
        prompt: str
        whole: bool  # the rest of the scene; else its first paragraph alone

else:
    Task = namedtuple("Task", "system prompt whole")

MAX_TOKENS = 600  # for three paragraphs, the fact and four choices
DEED_TOKENS = 110  # for two or three sentences: what a small model writes beyond them is worse
IDLE_TIMEOUT_S = 15.0  # seconds between two pieces
FIRST_WORD_TIMEOUT_S = (
    90.0  # seconds that the local model may read; a player who minds takes the quick answer
)
DEED_FIRST_WORD_TIMEOUT_S = 6.0  # of a deed it has two or three lines to read
HOSTED_BUDGET, HOSTED_EXAMPLES = 6000, 4  # tokens of the brief, and worked examples
COUNTED_AT_ONCE = 200  # texts of which the host counts the tokens in one call
_END = object()


class WriterStopped(Exception):
    """A writer writes no more; `expected` is true where nothing has gone wrong."""

    def __init__(self, reason: str, *, expected: bool = False) -> None:
        super().__init__(reason)
        self.expected = expected


class TextRefused(WriterStopped):
    """A writer's text was refused for these reasons; it may be asked once more."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(f"what it wrote was refused: {'; '.join(reasons[:3])}")
        self.reasons = reasons


class Writer:
    name = title = ""
    is_structured = True  # whether its answer is held to a schema
    budget, examples = HOSTED_BUDGET, HOSTED_EXAMPLES  # how much it is given to read

    def task(self, facts: dict[str, Any], told: list[str], style: str, refused: list[str]) -> Task | None:
        """Return the task, with why the last text was refused; None for a scene it should not write."""
        from narratoria.sdk.examples import choose_examples  # here: most scenes are told by no model

        text, is_counted = self._write_brief(facts)
        if text.left_out:
            by = "counted by its own tokenizer" if is_counted else "estimated"
            sdk.log(
                f"The brief has {text.tokens} of {self.budget} tokens, {by}, and no room for all of: "
                f"{', '.join(text.left_out)}",
                "debug",
            )
        asked = narration.ask(
            facts,
            style,
            examples=choose_examples(facts, self.examples),
            already=told,
            refused=refused,
            text=text,
            structured=self.is_structured,
        )
        return Task(*asked, True)

    def _write_brief(self, facts: dict[str, Any]) -> tuple[brief.Brief, bool]:
        """Return the brief within its budget, and whether its tokens were counted and not only estimated."""
        counts, advice = brief.TokenCounts(), read_advice(facts)
        text = brief.write(facts, budget=self.budget, advice=advice, count=counts)
        estimated = text
        for _ in range(brief.COUNTING_ROUNDS):
            counted = self.count(counts.missing) if counts.missing else []
            if counted is None:
                return estimated, False
            counts.add(counted)
            text = brief.write(facts, budget=self.budget, advice=advice, count=counts)
            if not counts.missing:
                break
        return text, True

    def count(self, texts: list[str]) -> list[int] | None:
        """Return the tokens of each text by the model's own tokenizer; None where that cannot be asked."""
        return None

    def write(self, task: Task, *, first: float | None, seed: object) -> Iterator[str]:
        """Yield the text piece by piece; it must begin by `first`, and goes on while words keep coming."""
        raise NotImplementedError

    def check(self, paragraphs: list[str], facts: dict[str, Any]) -> list[str] | None:
        """Return the gate's objections to the last of these paragraphs; None where there is no gate."""
        try:
            objections = host.check(paragraphs, facts)
        except host.HostError:
            return None
        return [str(one["message"]) for one in objections if one["paragraph"] == len(paragraphs) - 1]


class LocalWriter(Writer):
    """Writes with the model on this machine, as far as it can be trusted."""

    name, title = "local", "the local model"
    budget, examples = narration.LOCAL_BUDGET, narration.LOCAL_EXAMPLES

    def task(self, facts: dict[str, Any], told: list[str], style: str, refused: list[str]) -> Task | None:
        try:
            about = host.info()["model"]
        except host.HostError as error:
            raise WriterStopped(error.message, expected=True) from None
        self.title = about["name"] or self.title
        if about["state"] != "ready":
            raise WriterStopped(about["reason"] or "no model is here", expected=True)
        if about["tier"] == "narrates":
            return super().task(facts, told, style, refused)
        if about["tier"] != "embellishes":
            raise WriterStopped(f"{self.title} is not trusted to tell a story", expected=True)
        asked = narration.ask_for_deed(facts, style, refused=refused)
        return Task(*asked, False) if asked else None

    def count(self, texts: list[str]) -> list[int] | None:
        counts: list[int] = []
        try:
            for start in range(0, len(texts), COUNTED_AT_ONCE):
                counts += host.count_tokens(texts[start : start + COUNTED_AT_ONCE])
        except host.HostError:
            return None
        return counts

    def write(self, task: Task, *, first: float | None, seed: object) -> Iterator[str]:
        number = seed % 2**32 if isinstance(seed, int) else None

        def pieces() -> Iterator[str]:
            try:
                yield from host.generate(
                    task.prompt,
                    system=task.system,
                    max_tokens=MAX_TOKENS if task.whole else DEED_TOKENS,
                    temperature=0.7 if task.whole else 0.5,
                    seed=number,
                    stop=narration.STOP,
                    schema=structured_answer.SCHEMA if task.whole else None,
                )
            except host.HostError as error:
                raise WriterStopped(error.message) from None

        patience = FIRST_WORD_TIMEOUT_S if task.whole else DEED_FIRST_WORD_TIMEOUT_S
        begins = time.monotonic() + patience
        return stream_with_timeout(pieces, first=begins, who=self.title)


class HostedWriter(Writer):
    """Writes with a provider on the network. The key goes to its address and nowhere else."""

    def __init__(self, provider: str, config: dict[str, Any], prefix: str = "") -> None:
        def setting(name: str) -> str:
            key = prefix + name[0].upper() + name[1:] if prefix else name
            return str(config.get(key) or "")

        self.name, self.title = provider, setting("model") or provider
        self._given = {"url": setting("baseUrl"), "model": setting("model"), "key": setting("apiKey")}
        main = (config.get("provider"), str(config.get("baseUrl") or ""))
        if not self._given["key"] and main == (provider, self._given["url"]):
            self._given["key"] = str(config.get("apiKey") or "")  # another model at the same address
        self._first_word_timeout_s = float(config.get("patienceSeconds") or 5)
        self._temperature = float(config.get("temperature", 0.8))
        self.is_structured = config.get("answerForm") != "text" and self._can_hold_to_schema()

    def _can_hold_to_schema(self) -> bool:
        from _provider_features import find_features

        return bool(find_features(self.name, self._given["url"], self._given["model"]).schema)

    def is_same(self, other: HostedWriter) -> bool:
        """Return whether both would ask the same model at the same address."""
        return (self.name, self._given) == (other.name, other._given)

    def count(self, texts: list[str]) -> list[int] | None:
        from _provider_tokens import count_at_server

        counted: list[int] | None = count_at_server(self.name, texts, **self._given)
        return counted

    def write(self, task: Task, *, first: float | None, seed: object) -> Iterator[str]:
        from _providers import (  # brings http and tls along, which only some need
            NAMES,
            ProviderError,
            ProviderRequest,
        )

        # `stream_with_timeout` keeps the limits; the socket only must not wait for ever
        asked = ProviderRequest(
            self.name, **self._given, timeout_s=max(self._first_word_timeout_s, IDLE_TIMEOUT_S)
        )

        def pieces() -> Iterator[str]:
            try:
                yield from asked.stream(
                    task.system,
                    task.prompt,
                    limits=(MAX_TOKENS * 2, self._temperature),
                    schema=structured_answer.SCHEMA if self.is_structured else None,
                )
            except ProviderError as error:
                raise WriterStopped(str(error)) from None

        begins = time.monotonic() + self._first_word_timeout_s
        begins = min(begins, first) if first is not None else begins
        return stream_with_timeout(pieces, first=begins, who=NAMES[self.name])


def read_advice(facts: dict[str, Any]) -> list[str]:
    """Return how others' skills want their findings to be told."""
    advice = facts.get("advice")
    return [one for one in advice if isinstance(one, str)] if isinstance(advice, list) else []


def stream_with_timeout(source: Callable[[], Iterator[str]], *, first: float, who: str) -> Iterator[str]:
    """Yield what the source yields, however long it goes on; one that hangs is left behind on its thread."""
    import queue  # here, for the many scenes that no model writes
    import threading

    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
        try:
            for piece in source():
                arrived.put(piece)
        except WriterStopped as reason:
            arrived.put(reason)
        else:
            arrived.put(_END)

    threading.Thread(target=work, daemon=True).start()
    limit = first
    while True:
        try:
            got = arrived.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            raise WriterStopped(f"{who} took too long") from None
        if got is _END:
            return
        if isinstance(got, WriterStopped):
            raise got
        yield got
        limit = time.monotonic() + IDLE_TIMEOUT_S
