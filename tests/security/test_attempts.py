"""The table of attempts: every class has tests that exist, and the page a row for each with none through."""

from __future__ import annotations

import ast
import re
from xml.etree import ElementTree as ET

import pytest
from tests.security.attempts import (
    BEGIN,
    CLASSES,
    END,
    ESCAPES,
    PAGE,
    ROOT,
    Tally,
    insert_table,
    tally_report,
    write_table,
)


@pytest.mark.parametrize("title", CLASSES)
def test_a_class_of_attempts_names_tests_that_there_are(title: str) -> None:
    for node in CLASSES[title]:
        file, _, name = node.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {
            one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert not name or name in functions, node


def test_every_attempt_to_leave_a_box_belongs_to_a_class() -> None:
    tree = ast.parse((ROOT / ESCAPES).read_text(encoding="utf-8"))
    tests = [
        one.name
        for one in tree.body
        if isinstance(one, ast.AsyncFunctionDef | ast.FunctionDef) and one.name.startswith("test_")
    ]
    named = {node.partition("::")[2] for nodes in CLASSES.values() for node in nodes}
    others = {
        "test_this_machine_has_a_box_to_test",
        "test_the_tool_gets_a_clean_environment",
        "test_the_kernels_settings_cannot_be_changed",
        "test_the_network_can_be_reached_when_it_was_granted",
        "test_a_plan_goes_on_without_the_skills_that_try",
        "test_all_of_this_holds_for_an_ordinary_user",
        "test_every_box_is_tried",
        "test_the_attempts_can_succeed_where_there_is_no_box",
        "test_the_kernel_signals_anybody_where_there_is_no_box",
        "test_a_socket_of_a_pair_reaches_anybody_where_there_is_no_box",
        "test_what_an_older_landlock_does_not_see_is_refused_in_another_way",
    }
    assert [name for name in tests if name not in named | others] == []


def test_the_page_has_a_row_for_each_class_and_none_went_through() -> None:
    table = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = re.findall(
        r"^\| (.+?)(?: \(\d+ not made.*?\))? \| (\d+) \| (\d+) \| (\d+) \|$", table, re.MULTILINE
    )
    assert [row[0] for row in rows] == list(CLASSES)
    assert all(int(tried) == int(held) and through == "0" for _, tried, held, through in rows)
    assert "| **0** |" in table


def test_a_test_that_fails_is_an_attempt_that_went_through() -> None:
    escapes = ESCAPES.removesuffix(".py").replace("/", ".")
    report = ET.fromstring(
        f"""<testsuites><testsuite>
        <testcase classname="{escapes}" name="test_the_network_cannot_be_reached[a]"><failure/></testcase>
        <testcase classname="{escapes}" name="test_the_network_cannot_be_reached[b]"/>
        <testcase classname="{escapes}" name="test_a_file_has_an_end[a]"><skipped/></testcase>
        </testsuite></testsuites>"""
    )
    tallies = tally_report(report)
    assert tallies["use the network without permission"] == Tally(tried=2, through=1)
    assert tallies["fill the disk, in sight or hidden"] == Tally(not_made=1)
    table = write_table(tallies)
    assert "| use the network without permission | 2 | 1 | 1 |" in table
    assert insert_table(f"a\n{BEGIN}\nold\n{END}\nb", table) == f"a\n{BEGIN}\n{table}\n{END}\nb"
