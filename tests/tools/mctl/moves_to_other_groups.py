#!/usr/bin/env python3
# Moves its children into process groups and sessions of their own, and hangs.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
for move in (os.setpgrp, os.setsid):
    if os.fork() == 0:
        move()
        time.sleep(600)
time.sleep(600)
