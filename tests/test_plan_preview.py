"""An action is planned outside a story, with the reasons for the plan."""

from __future__ import annotations

from narratoria.plan_preview import build_plan_request, explain_plan


def test_an_action_alone_is_the_whole_context() -> None:
    request = build_plan_request("I pick the lock")

    assert request.context == {"action": {"kind": "free", "text": "I pick the lock"}}
    assert "dice-roller" in {skill.name for skill in request.skills}


def test_in_a_campaign_the_context_is_its_first_scene() -> None:
    request = build_plan_request("I pick the lock", "tomorrows-post")

    assert request.context["action"]["text"] == "I pick the lock"
    assert len(request.context) > 1


async def test_the_patterns_say_that_they_were_asked_for() -> None:
    explained = await explain_plan(build_plan_request("I pick the lock"), "patterns")

    assert explained.fallback_reasons == ("the patterns were asked for",)
    assert explained.plan.metadata.reasons == ("the patterns were asked for",)
