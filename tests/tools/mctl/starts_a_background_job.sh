#!/usr/bin/env bash
# A shell that leaves a background job behind.
echo '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}'
sleep 600 &
echo '{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}'
