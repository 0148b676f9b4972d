#!/usr/bin/env python3
# Succeeds without a result.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
