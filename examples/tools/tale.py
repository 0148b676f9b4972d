#!/usr/bin/env python3
"""Tells a tale sentence by sentence: a tool whose events arrive while it works."""

import time

from narratoria import sdk

TALE = (
    "The bridge is older than the river. ",
    "The ferryman says so, and he has crossed both. ",
    "Nobody asks him how. ",
    "He charges the same for either.",
)


def main(request: sdk.Request) -> None:
    pause = request.input.get("pause", 0.1)
    if not isinstance(pause, int | float) or not 0 <= pause <= 5:
        sdk.error("BAD_PAUSE", "pause must be a number of seconds, from 0 to 5")
        sdk.done(False)
        return
    for sentence in TALE:
        sdk.ui_event("narration_delta", {"text": sentence})  # each is on its way at once
        time.sleep(pause)
    sdk.done(True, f"A tale of {len(TALE)} sentences.", {"text": "".join(TALE)})


if __name__ == "__main__":
    sdk.run(main)
