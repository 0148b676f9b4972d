#!/usr/bin/env python3
# Ignores SIGTERM, and everything else it can.
import signal
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
time.sleep(600)
