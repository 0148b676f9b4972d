#!/usr/bin/env python3
# Writes one byte at a time.
import os

for byte in b'{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}\n':
    os.write(1, bytes([byte]))
