#!/usr/bin/env python3
# Leaves a daemon behind that ignores SIGTERM.
import os
import time


def daemonise():
    """True in the grandchild, which belongs to no session of ours any more; the tool waits until it is there."""
    waiting, arrived = os.pipe()
    if os.fork():
        os.close(arrived)
        os.read(waiting, 1)
        return False
    os.setsid()
    if os.fork():
        os._exit(0)
    os.close(arrived)
    return True


import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
if daemonise():
    time.sleep(600)
print('{"version":"0","type":"done","ok":true}', flush=True)
