#!/usr/bin/env python3
# Leaves a child behind that holds its stderr alone.
import os
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
if os.fork() == 0:
    os.close(1)
    time.sleep(600)
print('{"version":"0","type":"done","ok":true}', flush=True)
os._exit(0)
