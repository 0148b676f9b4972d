#!/usr/bin/env python3
# Says done and does not exit.
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
time.sleep(600)
