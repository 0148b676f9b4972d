"""Defines `/model` in a story: who tells, and models that are fetched while one plays."""

from __future__ import annotations

from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import CatalogueModel
from narratoria.inference.download_manager import DownloadState, ModelOverview
from narratoria.terminal import format_size


def offer_model() -> str:
    """Return the offer of a better model, or an empty text; nothing is downloaded by offering it."""
    from narratoria import app

    offered = app.download_manager().overview().offered
    if offered is None:
        return ""
    return (
        f"A better storyteller can be had: {offered.title}, {format_size(offered.size)}. "
        f"/model yes fetches it while you play (as `narratoria model download {offered.name}` does), "
        "/model no keeps this line away."
    )


def run_model_command(words: str) -> str:
    """Run /model and return its answer."""
    try:
        return _run_model_command(words.strip().lower())
    except ModelUnavailable as error:
        return str(error)


def _run_model_command(words: str) -> str:
    from narratoria import app

    match words.split():
        case []:
            return _format_model_status(app.who_tells().sentence, app.download_manager().overview())
        case ["yes"]:
            return _format_download_started(app.download_manager().start())
        case ["yes" | "download", name]:
            return _format_download_started(app.download_manager().start(name))
        case ["no"]:
            declined = app.download_manager().decline()
            return f"{declined.title} is not offered again." if declined else "Nothing is offered."
        case ["stop"]:
            stopped = app.download_manager().stop()
            return "Stopped. What came is kept for the next time." if stopped else "Nothing is being fetched."
    return "/model, /model yes [NAME], /model no, /model stop"


def _format_download_started(entry: CatalogueModel) -> str:
    return (
        f"{entry.title} is on its way, {format_size(entry.size)}. "
        "The story goes on; it is used from the turn after it came."
    )


def _format_model_status(teller: str, standing: ModelOverview) -> str:
    lines = [teller]
    if standing.fetching and standing.fetch:
        lines.append(_format_download(standing.fetching, standing.fetch))
    if standing.offered:
        lines.append(f"To be had: {standing.offered.title}, {format_size(standing.offered.size)}: /model yes")
    return "\n".join(lines)


def _format_download(entry: CatalogueModel, fetch: DownloadState) -> str:
    match fetch.phase:
        case "fetching":
            share = fetch.done / max(fetch.total, 1)
            return f"{entry.title} is coming: {share:.0%} of {format_size(fetch.total)}."
        case "here":
            return f"{entry.title} has come, and is used from the next turn on."
        case "stopped":
            return (
                f"The download of {entry.title} was stopped at {format_size(fetch.done)}; /model yes goes on."
            )
    return (
        f"{entry.title} could not be fetched: {fetch.reason.splitlines()[0] if fetch.reason else 'no reason'}"
    )
