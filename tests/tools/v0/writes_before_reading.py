#!/usr/bin/env python3
# Writes 5 MB before it reads its request: a trap for whoever writes first and reads later.
import json
import sys

event = json.loads('{"version":"0","type":"log","level":"info","message":"still fine"}')
for _ in range(5):
    event["message"] = "x" * 1_000_000
    print(json.dumps(event), flush=True)
size = len(sys.stdin.buffer.read())
print(json.dumps({"version": "0", "type": "done", "ok": True, "output": {"read": size}}))
