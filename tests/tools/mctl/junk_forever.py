#!/usr/bin/env python3
# Writes lines of junk without end.
import os

while True:
    os.write(1, b"junk\n" * 1000)
