"""Runs the command `narratoria`."""

import os


def main() -> None:
    # read when numpy is first imported: on two busy cores its threads made one sentence take half a second
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from narratoria.cli.commands import narratoria

    narratoria.main(prog_name="narratoria")
