#!/usr/bin/env python3
# Has a NaN in a field that nobody reads.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","extra":NaN}')
print('{"version":"0","type":"done","ok":true}')
