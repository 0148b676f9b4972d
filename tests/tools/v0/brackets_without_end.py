#!/usr/bin/env python3
# Opens 1,000,000 brackets and closes none.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("[" * 1_000_000)
print('{"version":"0","type":"done","ok":true}')
