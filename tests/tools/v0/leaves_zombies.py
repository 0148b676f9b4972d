#!/usr/bin/env python3
# Never waits for its children.
import os

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
for _ in range(20):
    if os.fork() == 0:
        os._exit(0)
print('{"version":"0","type":"done","ok":true}', flush=True)
