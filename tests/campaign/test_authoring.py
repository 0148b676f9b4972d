"""A new campaign: it validates, and says what it is made of."""

from __future__ import annotations

from tests.campaign.mill import problems_in
from tests.campaign.test_provenance import _run

from narratoria.campaign.authoring import PROMISES
from narratoria.campaign.validate import validate_campaign


def test_a_new_campaign_validates_and_promises_five_things(tmp_path):
    made = _run(
        *(
            "new",
            str(tmp_path / "salt"),
            "--title",
            "The Salt Clock",
            "--place",
            "Saltmarket",
            "--person",
            "Iva",
        ),
        *("--setting", "A town.", "--premise", "It has stopped.", "--never", "Nobody drowns."),
    )
    assert made.exit_code == 0, made.output
    report = validate_campaign(tmp_path / "salt")
    assert problems_in(report) == []
    assert report.campaign.start == "saltmarket"
    assert report.campaign.people["iva"].name == "Iva"
    assert report.campaign.constraints == ("Nobody drowns.",)
    readme = (tmp_path / "salt/README.md").read_text()
    assert all(name in readme for name, _ in PROMISES)
    assert len(PROMISES) == 5
    assert _run("new", str(tmp_path / "salt")).exit_code != 0, "what is there stays"
