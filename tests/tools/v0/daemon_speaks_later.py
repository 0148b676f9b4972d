#!/usr/bin/env python3
# Exits, and the daemon it left behind says the last word for it.
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


print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
if daemonise():
    time.sleep(0.5)
    print('{"version":"0","type":"done","ok":true}', flush=True)
    time.sleep(600)
