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


print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
if daemonise():
    time.sleep(0.5)
    print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
    time.sleep(600)
