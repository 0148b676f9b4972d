#!/usr/bin/env python3
# Emits events without end, and ignores SIGTERM.
import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
line = b'{"version":"0","type":"log","level":"info","message":"still fine"}\n'
while True:
    os.write(1, line * 1000)
