#!/usr/bin/env python3
# Writes an event in pretty print.
import json

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    json.dumps(
        json.loads('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}'), indent=2
    )
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
