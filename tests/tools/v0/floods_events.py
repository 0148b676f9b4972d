#!/usr/bin/env python3
# Emits a million events.
import sys

line = '{"version":"0","type":"log","level":"info","message":"still fine"}\n'
for _ in range(1000):
    sys.stdout.write(line * 1000)
print('{"version":"0","type":"done","ok":true}')
