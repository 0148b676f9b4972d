#!/usr/bin/env python3
# Its second line is a valid event of 9 MiB.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"%s"}' % ("x" * (9 * 1024 * 1024)))
print('{"version":"0","type":"done","ok":true}')
