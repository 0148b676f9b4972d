#!/usr/bin/env python3
# Says a key twice that nobody reads.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","extra":1,"extra":2}')
print('{"version":"0","type":"done","ok":true}')
