#!/usr/bin/env python3
# Writes newlines without end.
import os

while True:
    os.write(1, b"\n" * 100_000)
