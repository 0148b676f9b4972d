#!/usr/bin/env python3
# Says done and takes a moment to exit.
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
time.sleep(0.2)
