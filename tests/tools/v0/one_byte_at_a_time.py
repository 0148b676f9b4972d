#!/usr/bin/env python3
# Writes one byte at a time.
import os

for byte in b'{"version":"0","type":"log","level":"info","message":"still fine"}\n{"version":"0","type":"done","ok":true}\n':
    os.write(1, bytes([byte]))
