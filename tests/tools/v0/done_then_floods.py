#!/usr/bin/env python3
# Says done and writes on without end.
import os

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
while True:
    os.write(1, b'{"version":"0","type":"log","level":"info","message":"still fine"}\n' * 1000)
