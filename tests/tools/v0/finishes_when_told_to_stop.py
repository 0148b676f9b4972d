#!/usr/bin/env python3
# Comes to its end only when it is told to stop.
import signal
import sys
import time


def finish(*_):
    print('{"version":"0","type":"done","ok":true}', flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
time.sleep(600)
