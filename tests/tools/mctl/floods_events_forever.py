#!/usr/bin/env python3
# Emits events without end, and ignores SIGTERM.
import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
line = b'{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n'
while True:
    os.write(1, line * 1000)
