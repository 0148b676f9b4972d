#!/usr/bin/env python3
# Speaks UTF-16.
import sys

sys.stdout.buffer.write(
    '{"version":"0","type":"log","level":"info","message":"still fine"}\n{"version":"0","type":"done","ok":true}\n'.encode(
        "utf-16"
    )
)
