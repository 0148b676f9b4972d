#!/usr/bin/env python3
# Writes a line of 50 MB that never ends.
import sys

for _ in range(50):
    sys.stdout.write("x" * 1_000_000)
