#!/usr/bin/env bash
# Talks to a person instead of the runtime.
echo 'Hello! I am working on it.'
echo '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}'
echo '{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}'
