#!/usr/bin/env python3
# Exits with 1 after a traceback on stderr.
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
raise SystemError("the lamp is broken")
