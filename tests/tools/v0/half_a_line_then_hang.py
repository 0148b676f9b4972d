#!/usr/bin/env python3
# Hangs in the middle of a line.
import sys
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
sys.stdout.write('{"version":"0","type":"done","ok":true}'[:20])
sys.stdout.flush()
time.sleep(600)
