#!/usr/bin/env python3
# Writes 1,000 lines of junk and succeeds.
for _ in range(1000):
    print("junk")
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
