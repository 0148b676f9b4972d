#!/usr/bin/env python3
# Reports an error and succeeds all the same.
print(
    '{"type":"error","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"message":"the wood is wet","code":"WET_WOOD","recoverable":true}}'
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
