#!/usr/bin/env python3
# Leaves a daemon behind that has no environment, no session and no parent of ours.
import os
import sys
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
    return True  # `arrived` is closed by exec


mark = os.environ.get("ZOO_MARK", "")
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
if daemonise():
    os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", mark], {})
print('{"version":"0","type":"done","ok":true}', flush=True)
