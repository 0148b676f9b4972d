#!/usr/bin/env python3
# Speaks UTF-16.
import sys

sys.stdout.buffer.write(
    '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}\n'.encode(
        "utf-16"
    )
)
