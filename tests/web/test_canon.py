"""What a model added is marked in the list of memories, and the player can strike it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.web.telling_server import ADDED

PROGRAM = (str(Path(__file__).with_name("telling_server.py")),)


def test_a_player_strikes_out_what_a_model_added(servers: Any) -> None:
    server = servers(program=PROGRAM, env={"NARRATORIA_HUB": "http://127.0.0.1:9"}).start()
    story = server.begin()
    server.choose(story)
    memories = f"/api/stories/{story}/memories"
    (fact,) = server.get(f"{memories}?added=true")
    assert (fact["summary"], fact["addedBy"]) == (ADDED, "heron-3b")
    others = [one for one in server.get(memories) if not one["addedBy"]]
    assert others
    assert server.ask("DELETE", f"{memories}/nothing").status == 422
    assert server.ask("DELETE", f"{memories}/{quote(fact['id'], safe='')}").status in (200, 204)
    assert server.get(f"{memories}?added=true") == []
    assert ADDED not in [one["summary"] for one in server.get(f"{memories}?query=heron")]
    assert [one["id"] for one in server.get(memories)] == [one["id"] for one in others]
