from narratoria.mctl import main

main()
