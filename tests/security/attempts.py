"""Tries every class of attempt, and writes how many held into the threat model; `make attempts` runs it.

    python tests/security/attempts.py           prints the table, and ends with 1 where something went through
    python tests/security/attempts.py --write   writes it into docs/explanation/security.md too

An attempt is one case of a test. One that cannot be made on this machine is counted apart, and not as held.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "security.md"
BEGIN, END = "<!-- attempts: written by `make attempts` -->", "<!-- end of attempts -->"
ESCAPES = "tests/skills/sandbox/test_sandbox_escapes.py"

# class: the tests that try it, each a file or one function of it
CLASSES: dict[str, tuple[str, ...]] = {
    "reach the user's files": (
        f"{ESCAPES}::test_a_file_in_the_users_home_cannot_be_reached",
        f"{ESCAPES}::test_a_file_in_the_users_home_stays_as_it_is",
        f"{ESCAPES}::test_the_users_home_cannot_be_listed",
        f"{ESCAPES}::test_what_narratoria_itself_keeps_cannot_be_read",
        f"{ESCAPES}::test_nothing_can_be_written_outside_the_data_folder",
        f"{ESCAPES}::test_the_tmp_of_everybody_is_not_the_tools",
        f"{ESCAPES}::test_what_belongs_to_the_system_cannot_be_read",
    ),
    "watch the user's files, change their times, read their attributes": (
        f"{ESCAPES}::test_nobody_learns_or_changes_when_a_file_of_the_user_is_used",
    ),
    "reach another skill's data": (
        f"{ESCAPES}::test_the_data_of_another_skill_cannot_be_read_listed_or_written",
    ),
    "signal, trace or change other programs": (
        f"{ESCAPES}::test_another_program_cannot_be_signalled",
        f"{ESCAPES}::test_the_runtime_cannot_be_signalled",
        f"{ESCAPES}::test_another_program_cannot_be_looked_into_or_changed",
        f"{ESCAPES}::test_the_runtimes_environment_cannot_be_read",
        f"{ESCAPES}::test_no_further_namespace_can_be_made",
        f"{ESCAPES}::test_the_memory_that_other_programs_share_cannot_be_attached",
    ),
    "have the kernel send signals (F_SETOWN, F_SETSIG)": (
        f"{ESCAPES}::test_the_kernel_signals_nobody_in_the_name_of_a_tool",
    ),
    "use the network without permission": (
        f"{ESCAPES}::test_the_network_cannot_be_reached",
        f"{ESCAPES}::test_the_kernels_other_way_to_sockets_is_closed",
    ),
    "reach other programs' sockets by path or abstract name": (
        f"{ESCAPES}::test_the_socket_of_another_program_cannot_be_reached_even_with_the_network",
        f"{ESCAPES}::test_a_socket_of_a_pair_reaches_nobody_but_its_other_end",
    ),
    "go past the hosts that were granted": (
        "tests/skills/sandbox/test_network_proxy.py::test_another_host_is_refused_with_a_reason",
        "tests/skills/sandbox/test_network_proxy.py::test_the_granted_host_is_not_reached_past_the_proxy",
        "tests/skills/sandbox/test_network_proxy.py"
        "::test_a_box_that_could_not_be_kept_to_its_hosts_reaches_none",
        "tests/skills/sandbox/test_network_proxy.py"
        "::test_a_name_cannot_be_made_to_point_at_this_machine_or_the_home_network",
        "tests/skills/sandbox/test_network_proxy.py"
        "::test_an_address_in_disguise_is_not_reached_though_it_was_granted_once",
        "tests/skills/test_permissions.py::test_an_address_in_disguise_is_no_host",
    ),
    "outlive the call": (
        f"{ESCAPES}::test_nothing_outlives_its_invocation",
        f"{ESCAPES}::test_nothing_outlives_a_tool_that_is_stopped",
        f"{ESCAPES}::test_nothing_outlives_the_runtime_when_it_is_killed",
    ),
    "use up memory, in sight or hidden": (
        f"{ESCAPES}::test_memory_ends_before_the_machines_does",
        f"{ESCAPES}::test_memory_that_no_process_has_mapped_is_refused_or_counted",
        f"{ESCAPES}::test_memory_in_many_processes_is_counted_together",
    ),
    "use up memory against the kernel's ceiling (control group)": (
        "tests/protocol/test_control_groups.py::test_the_kernel_ends_who_uses_more_memory_than_the_ceiling",
        "tests/protocol/test_control_groups.py"
        "::test_the_kernel_ends_a_box_that_uses_more_memory_than_its_ceiling_and_that_is_told",
    ),
    "start processes without end": (
        f"{ESCAPES}::test_processes_without_end_are_stopped",
        "tests/protocol/test_control_groups.py::test_the_kernel_refuses_more_processes_than_the_ceiling",
        "tests/protocol/test_control_groups.py::test_a_box_runs_in_a_group_of_its_own",
    ),
    "fill the disk, in sight or hidden": (
        f"{ESCAPES}::test_a_file_has_an_end",
        f"{ESCAPES}::test_the_disk_cannot_be_filled_with_files",
        f"{ESCAPES}::test_the_disk_cannot_be_filled_with_files_that_hide",
        f"{ESCAPES}::test_the_temporary_folder_cannot_be_filled",
        "tests/protocol/test_process_limits.py::test_nobody_fills_the_disk_to_its_end",
    ),
    "end the program or keep it busy with a file, a line or an expression": (
        "tests/contracts/test_front_matter.py"
        "::test_a_description_however_deep_is_refused_and_ends_no_process",
        "tests/contracts/test_foreign_schema.py::test_one_that_would_never_end_or_leads_elsewhere_is_refused",
        "tests/campaign/test_expressions.py::test_an_expression_without_a_bound_is_not_compiled",
        "tests/campaign/test_expressions.py::test_loops_that_would_never_end_are_not_compiled",
        "tests/protocol/test_lines.py"
        "::test_a_number_that_no_float_holds_is_refused_where_somebody_could_read_it",
        "tests/narrator/test_gate_patterns.py::test_a_sentence_however_long_is_read_in_time",
    ),
    "lift content limits by damaging the settings": (
        "tests/engine/test_content_limits.py::test_a_damaged_file_lifts_no_limit_and_is_said",
        "tests/web/test_settings.py::test_settings_that_cannot_be_read_are_the_usual_ones_but_for_the_limits",
    ),
    "lie in what a skill says or brings": (
        "tests/security/test_hostile_skills.py",
        "tests/security/test_duplicate_keys.py",
    ),
    "send a hostile campaign or story": (
        "tests/security/test_hostile_campaigns.py",
        "tests/security/test_hostile_saves.py",
    ),
    "send requests from a stranger's page": (
        "tests/security/test_hostile_pages.py",
        "tests/web/test_access_guard.py",
    ),
    "send odd values to each operation of the API": ("tests/security/test_hostile_requests.py",),
    "use what is another player's or the owner's, as a player": (
        "tests/security/test_hostile_players.py",
        "tests/web/test_sharing.py",
        "tests/web/test_identity.py",
    ),
    "keep the server busy before the passphrase": ("tests/web/test_connection_limits.py",),
    "read a key or a story from the disk": (
        "tests/security/test_keys.py",
        "tests/security/test_on_the_disk.py",
    ),
    "cut the power while turns are written (500 cuts)": (
        "tests/faults/test_power_cuts.py::test_no_acknowledged_turn_is_lost_in_500_power_cuts",
    ),
}
# why attempts of a class are not made on a machine
REASONS = {
    "use up memory against the kernel's ceiling (control group)": (
        "no control group with memory was given, as NARRATORIA_CGROUP may; without one, memory is counted"
    ),
}


@dataclass(slots=True)
class Tally:
    """Counts the attempts of one class."""

    tried: int = 0
    through: int = 0
    not_made: int = 0

    @property
    def held(self) -> int:
        return self.tried - self.through


def run_attempts() -> dict[str, Tally]:
    """Make every attempt, and return how many held by class."""
    nodes = list(dict.fromkeys(node for nodes in CLASSES.values() for node in nodes))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
        subprocess.run([*command, f"--junitxml={report}", *nodes], cwd=ROOT, check=False)
        return tally_report(ET.parse(report).getroot())


def tally_report(report: ET.Element) -> dict[str, Tally]:
    """Return the attempts of each class in a report of pytest."""
    tallies = {title: Tally() for title in CLASSES}
    for case in report.iter("testcase"):
        file = case.get("classname", "").replace(".", "/") + ".py"
        function = case.get("name", "").partition("[")[0]
        for title, nodes in CLASSES.items():
            if file in nodes or f"{file}::{function}" in nodes:
                _count(tallies[title], {child.tag for child in case})
    return tallies


def _count(tally: Tally, outcome: set[str]) -> None:
    if "skipped" in outcome:
        tally.not_made += 1
    else:
        tally.tried += 1
        tally.through += bool(outcome & {"failure", "error"})


def write_table(tallies: Mapping[str, Tally]) -> str:
    lines = ["| attempts to … | tried | held | through |", "| --- | ---: | ---: | ---: |"]
    for title, tally in tallies.items():
        reason = REASONS.get(title, "") if tally.not_made else ""
        note = f" ({tally.not_made} not made here{': ' + reason if reason else ''})" if tally.not_made else ""
        lines.append(f"| {title}{note} | {tally.tried} | {tally.held} | {tally.through} |")
    tried, through = (
        sum(getattr(tally, name) for tally in tallies.values()) for name in ("tried", "through")
    )
    lines.append(f"| **all** | **{tried}** | **{tried - through}** | **{through}** |")
    return "\n".join(lines)


def insert_table(page: str, table: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    tallies = run_attempts()
    table = write_table(tallies)
    print(table)
    if "--write" in sys.argv:
        PAGE.write_text(insert_table(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    sys.exit(any(tally.through or not (tally.tried or tally.not_made) for tally in tallies.values()))


if __name__ == "__main__":
    main()
