from narratoria.cli import main

main()
