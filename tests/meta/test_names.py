"""Every name of the specification's class model leads to something that is there."""

from __future__ import annotations

import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "names.md"
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| `(narratoria[^`]*)` \|", re.MULTILINE)

# architecture §8.4
CLASSES = (
    "Skill", "SkillScript", "SkillErrorState", "ConfigField",
    "PlanJson", "ToolInvocation", "RetryPolicy", "PlanMetadata",
    "PlanExecutionContext", "ToolResult", "ExecutionResult", "ToolError",
    "ProtocolEvent", "LogEvent", "StatePatchEvent", "AssetEvent", "UiEventEvent", "ErrorEvent", "DoneEvent",
    "SessionState", "AssetReference",
    "NarratoriaException", "CyclicDependencyException", "PlanExecutionException", "ToolTimeoutException",
    "ProtocolViolationException", "UnknownEventTypeException", "SkillScriptNotFoundError",
    "MaxReplanAttemptsException",
)  # fmt: skip


def test_the_page_has_every_class_of_the_specification():
    named = [there for there, _, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))]

    assert [name for name in CLASSES if name not in named] == []
    assert len(named) == len(set(named))


def test_everything_on_the_page_can_be_imported_from_where_it_is_said_to_be():
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))

    assert len(rows) > len(CLASSES)
    for _, attribute, module in rows:
        assert attrgetter(attribute)(import_module(module)) is not None
