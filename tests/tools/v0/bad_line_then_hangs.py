#!/usr/bin/env python3
# Breaks the protocol and hangs.
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("junk", flush=True)
time.sleep(600)
