#!/usr/bin/env python3
# Kills its whole process group.
import os
import signal

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.killpg(0, signal.SIGKILL)
