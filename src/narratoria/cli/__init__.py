"""The command `narratoria`."""


def main() -> None:
    from narratoria.cli.app import narratoria

    narratoria.main(prog_name="narratoria")
