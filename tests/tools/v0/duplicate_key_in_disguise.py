#!/usr/bin/env python3
# Says its level twice, the second time with an escape.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","le\\u0076el":"warn","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
