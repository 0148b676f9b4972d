"""Calls of the host from a tool: what each gives, page by page, and what is missing."""

from __future__ import annotations

import pytest

from narratoria.skills.host.dispatch import ChannelLimits

TRANSPORTS = ["socket", "port"]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_every_call_of_the_sdk_works_in_a_tool(theatre, transport):
    theatre.options = {"transport": transport}
    output = await theatre.output(
        theatre.tool("""
        def main(request):
            one = host.store("event", {"text": "a bell", "n": 1})
            host.store("event", {"text": "a bell and a boat", "n": 2}, identifier="two")
            changed = host.update("event", "two", {"n": 3})
            return {
                "skill": host.info()["skill"],
                "changed": changed,
                "found": [m["record"]["n"] for m in host.semantic_search("bell boat", "event", limit=1)],
                "strict": host.semantic_search("bell dragon", min_relevance=0.7),
                "matched": [m["record"]["n"] for m in host.exact_match({"n": {"from": 2}}, "event")],
                "newest": [m["identifier"] for m in host.exact_match(limit=1, newest_first=True)],
                "deleted": [host.delete("event", one), host.delete("event", one)],
                "vectors": [len(host.embed(["a"] * n)) for n in (0, 1, 130)],
                "text": list(host.generate("the bell tolls", max_tokens=2)),
            }

        sdk.run(main)
        """)
    )
    assert output == {
        "skill": "memory",
        "changed": {"text": "a bell and a boat", "n": 3},
        "found": [3],
        "strict": [],
        "matched": [3],
        "newest": ["two"],
        "deleted": [True, False],
        "vectors": [0, 1, 130],
        "text": ["the ", "bell "],
    }


async def test_the_sdk_pages_through_what_does_not_fit_into_one_answer(theatre):
    theatre.options = {"limits": ChannelLimits(result_bytes=3000)}
    output = await theatre.output(
        theatre.tool("""
        def main(request):
            for n in range(30):
                host.store("n", {"n": n, "text": "x" * 300})
            return {"all": [m["record"]["n"] for m in host.exact_match()],
                    "some": len(host.exact_match(limit=7))}

        sdk.run(main)
        """)
    )
    assert output == {"all": list(range(30)), "some": 7}


async def test_an_error_of_the_host_can_be_caught_and_says_what_is_missing(theatre):
    tool = theatre.tool(
        """
        def main(request):
            try:
                host.store("n", {"a": 1})
            except host.HostError as error:
                return {"code": error.code, "permission": error.permission, "number": error.number,
                        "advice": error.advice, "message": str(error)}

        sdk.run(main)
        """,
        ["store:read"],
    )
    output = await theatre.output(tool)
    assert (output["code"], output["permission"], output["number"]) == (
        "NOT_PERMITTED",
        "store:write",
        -32001,
    )
    assert "skill.json" in output["advice"]
    assert "store.store" in output["message"]
