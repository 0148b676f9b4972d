#!/usr/bin/env python3
# Writes bytes to stderr that are no text.
import sys

sys.stderr.buffer.write(bytes(range(256)) + b"the end")
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
