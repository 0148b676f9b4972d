#!/usr/bin/env python3
# Writes 200 MB to stderr.
import sys

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
for _ in range(200):
    sys.stderr.buffer.write(b"e" * 999_999 + b"\n")
print('{"version":"0","type":"done","ok":true}')
