#!/usr/bin/env python3
# Exits with 1 after a traceback on stderr.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
raise SystemError("the lamp is broken")
