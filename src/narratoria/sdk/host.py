"""Calls what Narratoria shares with its skills: records, embeddings and the language model.

    from narratoria.sdk import host

    host.store("memory", {"summary": "Helped the blacksmith repair an anvil"})
    for memory in host.semantic_search("the blacksmith", limit=3):
        print(memory["record"]["summary"], memory["relevance"])

A skill declares what it needs in its manifest's `permissions`. Everything is about the story that is being
played: there is no way, and no need, to say which. All functions may be called from several threads at once.

Made from `narratoria.skills.host.method_table` by docs/generate.py: edit that, then run `make docs`.
"""

from __future__ import annotations

from narratoria.sdk.host_channel import (
    HostError,
    call,
    call_base64,
    call_batches,
    call_pages,
    record_items,
    stream_text,
)

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = [
    "HostError",
    "check",
    "count_tokens",
    "delete",
    "embed",
    "exact_match",
    "generate",
    "history",
    "info",
    "rasterise",
    "semantic_search",
    "store",
    "store_all",
    "update",
]


def info() -> dict[str, Any]:
    """Return who the host takes this tool for, what it may call, and the limits."""
    result: dict[str, Any] = call("host.info")
    return result


def semantic_search(
    query: str,
    data_type: str | None = None,
    *,
    limit: int = 10,
    filters: dict[str, Any] | None = None,
    min_relevance: float | None = None,
) -> list[dict[str, Any]]:
    """Return the records about something, the most relevant first."""
    result: list[dict[str, Any]] = call(
        "store.semanticSearch",
        query=query,
        dataType=data_type,
        limit=limit,
        filters=filters,
        minRelevance=min_relevance,
    )["records"]
    return result


def exact_match(
    filters: dict[str, Any] | None = None,
    data_type: str | None = None,
    *,
    limit: int = 100,
    newest_first: bool = False,
) -> list[dict[str, Any]]:
    """Return the records whose fields have these values, in the order in which they were stored.

    A filter is a value, a list of which one will do, or a range such as {"from": 3, "to": 7}.
    """
    return call_pages(
        "store.exactMatch",
        filters=filters,
        dataType=data_type,
        limit=limit,
        newestFirst=newest_first,
    )


def store(data_type: str, record: dict[str, Any], identifier: str | None = None) -> str:
    """Store a record and return its identifier.

    With an identifier of your own, a tool that is run again stores nothing twice.
    """
    result: str = call("store.store", dataType=data_type, record=record, identifier=identifier)["identifier"]
    return result


def store_all(
    items: Sequence[tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]],
) -> list[dict[str, Any]]:
    """Store several records, all of them or none, and return them.

    Each is given as (data type, record[, identifier]).
    """
    result: list[dict[str, Any]] = call("store.storeAll", items=record_items(items))["records"]
    return result


def history(data_type: str, subject: str, *, limit: int = 100) -> list[dict[str, Any]]:
    """Return the changes of an opinion of a faction or a person, the oldest first."""
    result: list[dict[str, Any]] = call(
        "store.history",
        dataType=data_type,
        subject=subject,
        limit=limit,
    )["changes"]
    return result


def update(data_type: str, identifier: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Merge changes into a record and return the record as it is now.

    None deletes a key.
    """
    result: dict[str, Any] = call(
        "store.update",
        dataType=data_type,
        identifier=identifier,
        changes=changes,
    )["record"]
    return result


def delete(data_type: str, identifier: str) -> bool:
    """Delete a record and return whether there was one."""
    result: bool = call("store.delete", dataType=data_type, identifier=identifier)["deleted"]
    return result


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return a vector for each text."""
    return call_batches("embed.embed", texts=list(texts))


def generate(
    prompt: str,
    *,
    system: str | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    stop: Sequence[str] | None = None,
    schema: dict[str, Any] | None = None,
) -> Iterator[str]:
    """Generate a text with the language model, piece by piece as it is made.

    Whoever leaves the loop over it stops the model.
    """
    return stream_text(
        "model.generate",
        prompt=prompt,
        system=system,
        maxTokens=max_tokens,
        temperature=temperature,
        seed=seed,
        stop=None if stop is None else list(stop),
        schema=schema,
    )


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Count the tokens of texts as the language model reads them."""
    result: list[int] = call("model.count", texts=list(texts))["tokens"]
    return result


def check(paragraphs: Sequence[str], facts: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return what in these paragraphs contradicts the story.

    Each names the `paragraph`, counted from 0, and has a `message`.
    """
    result: list[dict[str, Any]] = call(
        "narration.check",
        paragraphs=list(paragraphs),
        facts=facts,
    )["findings"]
    return result


def rasterise(svg: str, size: int, *, crisp: bool = False) -> bytes:
    """Draw a square PNG of an SVG that holds all it needs.

    Crisp leaves its edges unsmoothed.
    """
    result: bytes = call_base64("picture.rasterise", svg=svg, size=size, crisp=crisp)["png"]
    return result
