"""The programs that drew the pictures and made the sounds of the bundled campaigns: `make studio`."""
