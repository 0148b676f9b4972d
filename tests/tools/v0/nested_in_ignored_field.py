#!/usr/bin/env python3
# Nests 100,000 levels deep in a field that nobody reads.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print(
    '{"version":"0","type":"log","level":"info","message":"hm","extra":' + "[" * 100_000 + "]" * 100_000 + "}"
)
print('{"version":"0","type":"done","ok":true}')
