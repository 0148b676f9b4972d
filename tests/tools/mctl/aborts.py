#!/usr/bin/env python3
# Ends with SIGABRT.
import os

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.abort()
