#!/usr/bin/env python3
# Its second line is a valid event of almost 8 MiB.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"%s"}' % ("x" * (8 * 1024 * 1024 - 200)))
print('{"version":"0","type":"done","ok":true}')
