#!/usr/bin/env python3
# Has bytes in its message that are not UTF-8.
import sys

sys.stdout.buffer.write(b'{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n')
sys.stdout.buffer.write(
    b'{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"\xff\xfe"}}\n'
)
sys.stdout.buffer.write(
    b'{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}\n'
)
