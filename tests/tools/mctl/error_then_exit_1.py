#!/usr/bin/env python3
# Fails as it should: an error, then exit code 1.
import sys

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    '{"type":"error","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"message":"not this one","code":"FIRST","recoverable":false}}'
)
print(
    '{"type":"error","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"message":"the wood is wet","code":"WET_WOOD","recoverable":true}}'
)
sys.exit(1)
