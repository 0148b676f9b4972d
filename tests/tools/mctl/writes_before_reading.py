#!/usr/bin/env python3
# Writes 5 MB before it reads its request: a trap for whoever writes first and reads later.
import json
import sys

event = json.loads('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
for _ in range(5):
    event["payload"] = {"text": "x" * 1_000_000}
    print(json.dumps(event), flush=True)
size = len(sys.stdin.buffer.read())
print(json.dumps({**event, "type": "result", "payload": {"read": size}}))
