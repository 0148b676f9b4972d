"""The rules of the kit."""

from __future__ import annotations

from narratoria.protocol.conformance.rules import MCTL_RULES, V0_RULES


def test_rules_have_names_of_their_own():
    for rules in (V0_RULES, MCTL_RULES):
        assert len({rule.id for rule in rules}) == len(rules)
