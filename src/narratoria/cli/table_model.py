"""The model at the table: one line that offers a better one, and `/model` for the rest."""

from __future__ import annotations

from narratoria import app
from narratoria.errors import ModelUnavailable
from narratoria.inference.acquire import FetchState, Standing
from narratoria.inference.catalogue import Entry
from narratoria.terminal import sized

MODEL = ("/model [yes|no|stop]", "who tells the story; fetch a better model, or never ask again")


def offer() -> str:
    """Once, where a better model could be had; empty otherwise. Nothing is fetched by offering it."""
    offered = app.model_status().offered
    if offered is None:
        return ""
    return (
        f"A better storyteller can be had: {offered.title}, {sized(offered.size)}. "
        f"/model yes fetches it while you play (as `narratoria model download {offered.name}` does), "
        "/model no keeps this line away."
    )


def answer(words: str) -> str:
    """What /model says and does."""
    try:
        return _answer(words.strip().lower())
    except ModelUnavailable as error:
        return str(error)


def _answer(words: str) -> str:
    match words.split():
        case []:
            return _told(app.model_status())
        case ["yes"]:
            return _coming(app.start_fetch())
        case ["yes" | "download", name]:
            return _coming(app.start_fetch(name))
        case ["no"]:
            declined = app.decline_model()
            return f"{declined.title} is not offered again." if declined else "Nothing is offered."
        case ["stop"]:
            stopped = app.cancel_fetch()
            return "Stopped. What came is kept for the next time." if stopped else "Nothing is being fetched."
    return "/model, /model yes [NAME], /model no, /model stop"


def _coming(entry: Entry) -> str:
    return (
        f"{entry.title} is on its way, {sized(entry.size)}. "
        "The story goes on; it is used from the turn after it came."
    )


def _told(standing: Standing) -> str:
    lines = [
        f"In use: {standing.used.title}." if standing.used else "No model is here; the story needs none."
    ]
    if standing.fetching and standing.fetch:
        lines.append(_progress(standing.fetching, standing.fetch))
    if standing.offered:
        lines.append(f"To be had: {standing.offered.title}, {sized(standing.offered.size)}: /model yes")
    return "\n".join(lines)


def _progress(entry: Entry, fetch: FetchState) -> str:
    match fetch.phase:
        case "fetching":
            return f"{entry.title} is coming: {fetch.done / max(fetch.total, 1):.0%} of {sized(fetch.total)}."
        case "here":
            return f"{entry.title} has come, and is used from the next turn on."
        case "stopped":
            return f"The download of {entry.title} was stopped at {sized(fetch.done)}; /model yes goes on."
    return (
        f"{entry.title} could not be fetched: {fetch.reason.splitlines()[0] if fetch.reason else 'no reason'}"
    )
