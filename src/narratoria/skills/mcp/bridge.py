"""Speaks the tool protocol outward and MCP inward: one call of one tool, or the list of all tools.

A program, started in the skill's box; a server that is a program is started by it and ends with it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from narratoria import sdk
from narratoria.sdk.emit import wire

if TYPE_CHECKING:
    from mcp.client.session import IncomingMessage
    from mcp.types import CallToolResult, LoggingMessageNotificationParams

ANSWER_TIMEOUT_S = 10.0  # for the server's first answer, and for its list of tools
MOST_PAGES = 20  # of the list of tools
MOST_TOOLS = 200
LONGEST_TEXT = 64 * 1024  # characters that are kept of what a tool says
LARGEST_OUTPUT = 256 * 1024  # bytes of a tool's structured answer
MOST_FILES = 4
LARGEST_FILE = 8 * 1024 * 1024  # bytes of a picture or a sound
LEVELS = {"debug": "debug", "info": "info", "notice": "info", "warning": "warn"}  # all others are errors
ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
}
_SETTING = re.compile(r"\$\{([^}]*)\}")


def main(request: sdk.Request) -> dict[str, Any] | None:
    """Carry out the request; every way in which a server can fail is a failure of the tool."""
    try:
        return anyio.run(_speak, request)
    except Exception as error:  # noqa: BLE001  the border between any server and the protocol
        if wire.ended:
            return None  # the answer is there; how the server ends is its own affair
        raise _as_failure(_first(error), request) from None


async def _speak(request: sdk.Request) -> dict[str, Any] | None:
    async with AsyncExitStack() as stack:
        client = await _connect(request, stack)
        if request.operation == "list":
            return {"tools": await _list_tools(client)}
        sdk.done(output=await _call(client, request))  # before the server is ended, which may take a while
    return None


async def _connect(request: sdk.Request, stack: AsyncExitStack) -> Client:
    server = _fill_settings(request.context["mcp"], request.config)
    if url := server.get("url"):
        timeout = httpx2.Timeout(ANSWER_TIMEOUT_S, read=server["timeout"])
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=server["headers"], timeout=timeout))
        transport = streamable_http_client(url, http_client=http)
    else:
        program, *arguments = server["command"]
        parameters = StdioServerParameters(
            command=program, args=arguments, env=server["env"], cwd=server["cwd"]
        )
        transport = stdio_client(parameters)
    client = Client(
        transport,
        read_timeout_seconds=ANSWER_TIMEOUT_S,
        logging_callback=_log,
        message_handler=_note_garbage,
        cache=None,
    )
    return await stack.enter_async_context(client)


async def _list_tools(client: Client) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += (
            {
                "name": tool.name,
                "description": tool.description or tool.title or "",
                "input": tool.input_schema,
            }
            for tool in page.tools
        )
        cursor = page.next_cursor
        if not cursor or len(tools) >= MOST_TOOLS:
            break
    return tools[:MOST_TOOLS]


async def _call(client: Client, request: sdk.Request) -> dict[str, Any]:
    name, timeout = request.context["mcp"]["tool"], request.context["mcp"]["timeout"]
    try:
        result = await client.call_tool(name, request.input, read_timeout_seconds=timeout)
    except (
        MCPError,
        RuntimeError,
    ) as error:  # RuntimeError: an answer that does not fit the tool's own schema
        await _refuse_missing(client, name)
        raise sdk.ToolFailure("MCP_ERROR", f"the server refuses '{name}': {error}"[:500]) from None
    if result.is_error:
        await _refuse_missing(client, name)
        reason = " ".join(_texts(result)).strip()[:500]
        raise sdk.ToolFailure("MCP_TOOL_FAILED", reason or f"'{name}' failed and does not say why")
    _keep_files(result, request)
    return read_result(result)


async def _refuse_missing(client: Client, name: str) -> None:
    """ToolFailure where the server has no tool of this name any more."""
    offered = [tool["name"] for tool in await _list_tools(client)]
    if name not in offered:
        listed = ", ".join(offered[:12]) or "none"
        message = f"the server offers no tool '{name}' any more; it offers: {listed}. "
        raise sdk.ToolFailure("MCP_TOOL_GONE", message + "try: narratoria skills inputs SKILL --write")


def read_result(result: CallToolResult) -> dict[str, Any]:
    """Return what a tool said as a script's output: its own values, and a text where it says one."""
    texts = [text.strip() for text in _texts(result) if text.strip()]
    structured = result.structured_content
    output = dict(structured) if isinstance(structured, Mapping) else _parse_object("\n".join(texts))
    if set(output) == {"result"}:  # how servers wrap what is no object
        value = output["result"]
        output = dict(value) if isinstance(value, Mapping) else {"text": value} if _is_text(value) else output
    prose = [text for text in texts if text[:1] not in ("{", "[")]
    if prose and not {"tell", "text", "summary"} & set(output):
        output["text"] = "\n\n".join(prose)
    if isinstance(output.get("text"), str):
        output["text"] = output["text"][:LONGEST_TEXT]
    if len(json.dumps(output)) > LARGEST_OUTPUT:
        raise sdk.ToolFailure("MCP_TOO_LONG", f"the answer is longer than {LARGEST_OUTPUT // 1024} KiB")
    return output


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _parse_object(text: str) -> dict[str, Any]:
    """Return the object that servers without structured answers write as text; empty for another text."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _texts(result: CallToolResult) -> Iterator[str]:
    for block in result.content:
        if block.type == "text":
            yield block.text
        elif block.type == "resource":
            yield getattr(block.resource, "text", "")


def _keep_files(result: CallToolResult, request: sdk.Request) -> None:
    """Write the pictures and sounds of an answer to where a call's assets belong."""
    blocks = [block for block in result.content if block.type in ("image", "audio")]
    if not blocks or not request.asset_dir:
        return
    for number, block in enumerate(blocks[:MOST_FILES], 1):
        ending = ENDINGS.get(block.mime_type)
        try:
            content = base64.b64decode(block.data, validate=True)
        except binascii.Error:
            content = b""
        if not ending or not content or len(content) > LARGEST_FILE:
            sdk.log(f"a file of the type {block.mime_type} is left out", "warn")
            continue
        name = f"mcp-{request.key(number)}"
        path = Path(request.asset_dir, f"{name}.{ending}")
        path.write_bytes(content)
        sdk.asset(name, path, kind=block.type, media_type=block.mime_type)


def _fill_settings(value: Any, settings: Mapping[str, Any]) -> Any:
    """Return a description with `${key}` replaced by what is set."""
    if isinstance(value, Mapping):
        return {key: _fill_settings(part, settings) for key, part in value.items()}
    if isinstance(value, list):
        return [_fill_settings(part, settings) for part in value]
    return _SETTING.sub(lambda name: _setting(name[1], settings), value) if isinstance(value, str) else value


def _setting(key: str, settings: Mapping[str, Any]) -> str:
    value = settings.get(key)
    if value is None:
        raise sdk.ToolFailure("MCP_SETTING", f"the server needs the setting '{key}', which is not set")
    return value if isinstance(value, str) else json.dumps(value)


async def _log(params: LoggingMessageNotificationParams) -> None:
    text = params.data if isinstance(params.data, str) else json.dumps(params.data, default=str)
    if text and not wire.ended:
        sdk.log(text[:2000], LEVELS.get(params.level, "error"))


async def _note_garbage(message: IncomingMessage) -> None:
    if isinstance(message, Exception) and not wire.ended:
        sdk.log(f"the server wrote what is no message: {str(message)[:200]}", "warn")


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group


def _as_failure(error: BaseException, request: sdk.Request) -> sdk.ToolFailure:
    """Return the failure that an error of the conversation is, in words for whoever set the server up."""
    if isinstance(error, sdk.ToolFailure):
        return error
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    reason = (str(error).strip() or type(error).__name__)[:400]
    if request.context["mcp"].get("url"):
        return sdk.ToolFailure("NETWORK_MCP", f"the MCP server cannot be reached: {reason}")
    if isinstance(error, OSError):
        return sdk.ToolFailure("MCP_NOT_STARTED", f"the MCP server cannot be started: {reason}")
    return sdk.ToolFailure("MCP_NO_ANSWER", f"the MCP server gives no usable answer: {reason}")


if __name__ == "__main__":
    sdk.run(main)
