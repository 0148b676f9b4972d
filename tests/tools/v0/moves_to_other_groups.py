#!/usr/bin/env python3
# Moves its children into process groups and sessions of their own, and hangs.
import os
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
for move in (os.setpgrp, os.setsid):
    if os.fork() == 0:
        move()
        time.sleep(600)
time.sleep(600)
