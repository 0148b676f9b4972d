"""The reference server of the tests, written with the SDK: an almanac of the sky, by stdio or HTTP."""

import os
import sys
from enum import Enum
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

server = MCPServer("almanac", instructions="Ask it about the sky.")


class Hour(Enum):
    dusk = "dusk"
    dawn = "dawn"


class Tide(BaseModel):
    tell: str
    about: str
    choices: list[str]


@server.tool()
def read_stars(place: str, hour: Hour = Hour.dusk) -> str:
    """Reads the stars over a place when somebody looks up at the sky."""
    return f"Over {place} one red star stands low at {hour.value}."


@server.tool()
def tell_tide(action: Annotated[str, Field(description="what the player does")]) -> Tide:
    """Tells how high the water will stand at the quay."""
    return Tide(
        tell="The water will stand at the fourth step by noon.", about="tide", choices=["Wait for the ebb"]
    )


@server.tool()
def draw_moon(place: str) -> Image:
    """Draws the moon."""
    return Image(data=bytes.fromhex("89504e470d0a1a0a") + b"\0" * 32, format="png")


@server.tool()
def look_around() -> dict[str, str]:
    """Says what the server sees of the machine: for the tests of the box."""
    try:
        with open(os.environ.get("ALMANAC_SECRET_FILE", "/nowhere")) as file:
            seen = file.read()
    except OSError as error:
        seen = type(error).__name__
    return {"secret": seen, "key": os.environ.get("ALMANAC_KEY", "none"), "folder": os.getcwd()}


@server.tool()
def fail_always(place: str) -> str:
    """Fails."""
    raise ToolError("the almanac is torn at this page")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "http":
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
