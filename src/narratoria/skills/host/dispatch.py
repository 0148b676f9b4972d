"""Checks the calls of a skill against the table of methods, and carries them out."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, TypeAlias

import msgspec

from narratoria.contracts import Contract
from narratoria.contracts.messages import closest_match
from narratoria.errors import HostRefusal
from narratoria.skills.decisions import grant_command
from narratoria.skills.host.messages import Call
from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.method_types import VERSION, Method, Service
from narratoria.skills.host.rasterise import rasterise
from narratoria.skills.host.services import (
    Caller,
    EmbeddingService,
    Gate,
    Generation,
    Host,
    HostModelStatus,
    HostRecord,
    Model,
    RecordToStore,
    StoreService,
)
from narratoria.skills.permissions import Permissions

_EXPLAINED = 64 * 1024  # bytes; what is wrong with a larger message is not searched for: that takes seconds
_PLAYTHROUGH = {"playthrough", "playthroughid"}
_SERVICE_NAMES: Mapping[Service, str] = {
    "store": "store",
    "embedder": "embedding model",
    "model": "language model",
    "gate": "check of what is told",
}


@dataclass(frozen=True, slots=True)
class ChannelLimits:
    """Limits one invocation's calls to the host; each limit can be set."""

    message_bytes: int = 1024 * 1024  # one line of the skill
    result_bytes: int = 4 * 1024 * 1024
    in_flight: int = 8  # requests worked on at once
    requests: int = 10_000  # lines in all, whatever they hold
    total_bytes: int = 64 * 1024 * 1024
    call_seconds: float = 60.0


DEFAULT_LIMITS = ChannelLimits()


@dataclass(frozen=True, slots=True)
class Invocation:
    """One run of a skill, as far as the host is concerned: who asks, and what was granted."""

    caller: Caller
    permissions: Permissions
    host: Host
    limits: ChannelLimits = DEFAULT_LIMITS

    def check(self, call: Call, size: int) -> None:
        """HostRefusal for a call that may not or cannot be carried out."""
        method = METHODS.get(call.method)
        if method is None:
            near = closest_match(call.method, METHODS)
            advice = f"did you mean {near}?" if near else f"there are {', '.join(METHODS)}"
            raise HostRefusal("METHOD_NOT_FOUND", f"there is no method {call.method[:60]!r}", advice)
        self._permit(method)
        _refuse_playthrough(call.params)
        _check_params(call, size)
        self._require_service(method)

    async def carry_out(self, call: Call, tell: SendPiece) -> Any:
        """Return the result of a call that was checked."""
        return await HANDLERS[call.method](CallContext(self, tell), call.params)

    def _permit(self, method: Method) -> None:
        needed, skill = method.permission, self.caller.skill
        if needed and not self.permissions.allows(needed):
            raise HostRefusal(
                "NOT_PERMITTED",
                f"{method.name} needs the permission {needed!r}, which skill {skill!r} does not have",
                f'declare it in skill.json ("permissions": ["{needed}"]) and have the user grant it: '
                f"`{grant_command(skill, needed)}`",
                permission=needed,
            )

    def _require_service(self, method: Method) -> None:
        if method.service and getattr(self.host, method.service) is None:
            raise HostRefusal(
                "NOT_AVAILABLE",
                f"no {_SERVICE_NAMES[method.service]} is available here",
                "go on without it; host.info says what there is",
            )
        if method.service == "store" and not self.caller.playthrough:
            raise HostRefusal(
                "NOT_AVAILABLE",
                "no story is being played, and records belong to one",
                "run the skill in a playthrough: the request's context names it",
            )

    def info(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "skill": self.caller.skill,
            "playthroughId": self.caller.playthrough,
            "sessionId": self.caller.session,
            "methods": [
                {
                    "name": name,
                    "permission": method.permission,
                    "permitted": method.permission is None or self.permissions.allows(method.permission),
                    "available": self._is_available(method),
                }
                for name, method in METHODS.items()
            ],
            "quickAnswer": self._is_quick_answer_taken(),
            "model": HostModelStatus() if self.host.model is None else self.host.model.about(),
            "limits": {_camel(name): value for name, value in asdict(self.limits).items()},
        }

    def _is_quick_answer_taken(self) -> bool:
        quick_answers = self.host.quick_answers
        return quick_answers is not None and quick_answers.is_taken(self.caller.playthrough)

    def _is_available(self, method: Method) -> bool:
        try:
            self._require_service(method)
        except HostRefusal:
            return False
        return True


SendPiece: TypeAlias = Callable[[str], Awaitable[None]]  # sends a piece of text ahead of the result


@dataclass(frozen=True, slots=True)
class CallContext:
    """Holds the invocation that a call belongs to, and the services it may use."""

    invocation: Invocation
    tell: SendPiece

    @property
    def caller(self) -> Caller:
        return self.invocation.caller

    @property
    def store(self) -> StoreService:
        assert self.invocation.host.store is not None  # checked before
        return self.invocation.host.store

    @property
    def embedder(self) -> EmbeddingService:
        assert self.invocation.host.embedder is not None
        return self.invocation.host.embedder

    @property
    def model(self) -> Model:
        assert self.invocation.host.model is not None
        return self.invocation.host.model

    @property
    def gate(self) -> Gate:
        assert self.invocation.host.gate is not None
        return self.invocation.host.gate


Handler: TypeAlias = Callable[[CallContext, Mapping[str, Any]], Awaitable[Any]]


async def _info(work: CallContext, _params: Mapping[str, Any]) -> Any:
    return work.invocation.info()


async def _semantic_search(work: CallContext, params: Mapping[str, Any]) -> Any:
    limit = params.get("limit", 10)
    records = await work.store.semantic_search(
        work.caller,
        params["query"],
        data_type=params.get("dataType"),
        limit=limit + 1,  # one more tells whether there is more
        filters=params.get("filters", {}),
        min_relevance=params.get("minRelevance"),
    )
    return _page(records, limit, work.invocation.limits.result_bytes)


async def _exact_match(work: CallContext, params: Mapping[str, Any]) -> Any:
    limit = params.get("limit", 100)
    records = await work.store.exact_match(
        work.caller,
        data_type=params.get("dataType"),
        filters=params.get("filters", {}),
        limit=limit + 1,
        offset=params.get("offset", 0),
        newest_first=params.get("newestFirst", False),
    )
    return _page(records, limit, work.invocation.limits.result_bytes)


async def _store(work: CallContext, params: Mapping[str, Any]) -> Any:
    return await work.store.store(work.caller, params["dataType"], params["record"], params.get("identifier"))


async def _store_all(work: CallContext, params: Mapping[str, Any]) -> Any:
    items = msgspec.convert(params["items"], list[RecordToStore])
    return {"records": list(await work.store.store_all(work.caller, items))}


async def _history(work: CallContext, params: Mapping[str, Any]) -> Any:
    changes = await work.store.history(work.caller, params["dataType"], params["subject"])
    return {"changes": list(changes[-params.get("limit", 100) :])}


async def _update(work: CallContext, params: Mapping[str, Any]) -> Any:
    return await work.store.update(work.caller, params["dataType"], params["identifier"], params["changes"])


async def _delete(work: CallContext, params: Mapping[str, Any]) -> Any:
    return {"deleted": await work.store.delete(work.caller, params["dataType"], params["identifier"])}


async def _embed(work: CallContext, params: Mapping[str, Any]) -> Any:
    return await work.embedder.embed(work.caller, params["texts"])


async def _generate(work: CallContext, params: Mapping[str, Any]) -> Any:
    generation = msgspec.convert(params, Generation)
    text: list[str] = []
    finish = "stop"
    pieces = work.model.generate(work.caller, generation)
    async with aclosing(pieces):
        async for piece in pieces:
            finish = piece.finish or finish
            text.append(piece.text)
            if generation.stream and piece.text:
                await work.tell(piece.text)
    return {"text": "".join(text), "finish": finish}


async def _count(work: CallContext, params: Mapping[str, Any]) -> Any:
    return {"tokens": await work.model.count(work.caller, params["texts"])}


async def _check_narration(work: CallContext, params: Mapping[str, Any]) -> Any:
    findings = await work.gate.check(work.caller, params["paragraphs"], params.get("facts", {}))
    return {"findings": findings}


async def _rasterise(_work: CallContext, params: Mapping[str, Any]) -> Any:
    timeout_s = METHODS["picture.rasterise"].timeout_s
    picture = await rasterise(
        params["svg"], params["size"], crisp=params.get("crisp", False), timeout_s=timeout_s
    )
    return {"png": b64encode(picture).decode()}


HANDLERS: Mapping[str, Handler] = {
    "host.info": _info,
    "store.semanticSearch": _semantic_search,
    "store.exactMatch": _exact_match,
    "store.store": _store,
    "store.storeAll": _store_all,
    "store.history": _history,
    "store.update": _update,
    "store.delete": _delete,
    "embed.embed": _embed,
    "model.generate": _generate,
    "model.count": _count,
    "narration.check": _check_narration,
    "picture.rasterise": _rasterise,
}


def _page(entries: Sequence[HostRecord], limit: int, room: int) -> dict[str, Any]:
    """As many as were asked for and fit into one answer."""
    records: list[msgspec.Raw] = []
    for entry in entries[:limit]:
        record = msgspec.json.encode(entry)
        room -= len(record) + 1
        if room < 0:
            break
        records.append(msgspec.Raw(record))
    return {"records": records, "more": len(records) < len(entries)}


@cache
def _params(method: str) -> Contract:
    return Contract({"$ref": f"urn:narratoria:contract:host-request#/$defs/{method}"})


def _check_params(call: Call, size: int) -> None:
    contract = _params(call.method)
    if contract.accepts(call.params):
        return
    if size > _EXPLAINED:
        raise HostRefusal(
            "INVALID_PARAMS",
            f"the parameters of {call.method} are not as its contract says",
            f"what is wrong is told for messages of at most {_EXPLAINED} bytes; this one has {size}",
        )
    problems = contract.check_value(call.params)
    raise HostRefusal(
        "INVALID_PARAMS",
        f"{call.method}: {'; '.join(str(problem) for problem in problems[:3])}",
        problems=[{"pointer": problem.pointer, "message": problem.message} for problem in problems],
    )


def _refuse_playthrough(params: Mapping[str, Any]) -> None:
    """A skill that names a playthrough believes that it could choose one."""
    for pointer, keys in _named(params):
        for key in keys:
            if len(key) < 20 and key.replace("_", "").replace("-", "").casefold() in _PLAYTHROUGH:
                message = f"{pointer}/{key}: the playthrough is not an argument"
                advice = "leave it out: this channel belongs to one playthrough, and all is about that one"
                problems = [{"pointer": f"{pointer}/{key}", "message": advice}]
                raise HostRefusal("INVALID_PARAMS", message, advice, problems=problems)


def _named(params: Mapping[str, Any]) -> Iterable[tuple[str, Iterable[str]]]:
    yield "", params
    for name in ("filters", "record", "changes"):
        if isinstance(params.get(name), dict):
            yield f"/{name}", params[name]
    items = params.get("items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield f"/items/{index}", item
            if isinstance(item.get("record"), dict):
                yield f"/items/{index}/record", item["record"]


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)
