"""Runs the command `mctl`, which finds, checks and runs m-control tools."""


def main() -> None:
    from narratoria.mctl.cli import mctl

    mctl.main(prog_name="mctl")
