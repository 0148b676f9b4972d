#!/usr/bin/env python3
# Writes long valid lines without end.
import os

line = (
    b'{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"%s"}}\n'
    % (b"x" * 1_000_000)
)
while True:
    os.write(1, line)
