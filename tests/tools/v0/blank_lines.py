#!/usr/bin/env python3
# Leaves blank lines between its events.
print(
    '\n{"version":"0","type":"log","level":"info","message":"still fine"}\n\n   \n\r\n{"version":"0","type":"done","ok":true}\n\n'
)
