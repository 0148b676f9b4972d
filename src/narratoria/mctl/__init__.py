"""The command `mctl`: find, check and run m-control tools."""


def main() -> None:
    from narratoria.mctl.cli import mctl

    mctl.main(prog_name="mctl")
