#!/usr/bin/env python3
# Leaves a child behind that writes to its stdout without end.
import os

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
if os.fork() == 0:
    while True:
        os.write(1, b"never heard\n" * 1000)
os._exit(0)
