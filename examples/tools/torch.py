#!/usr/bin/env python3
"""Lights a torch, or puts it out: a tool with the SDK."""

from narratoria import sdk


def main(request: sdk.Request) -> None:
    name = request.input.get("name") or "torch"
    lit = request.operation != "douse"

    sdk.log(f"{'Lighting' if lit else 'Dousing'} the {name}")
    sdk.state_patch({"flags": {"torchLit": lit}})
    sdk.ui_event("torch", {"lit": lit})
    sdk.done(True, f"The {name} {'burns' if lit else 'is out'}.", {"name": name, "lit": lit})


if __name__ == "__main__":
    sdk.run(main)
