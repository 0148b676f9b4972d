#!/usr/bin/env bash
# Exits with 255.
echo '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}'
exit 255
