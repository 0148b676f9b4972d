#!/usr/bin/env python3
# Says done and not how.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done"}')
print('{"version":"0","type":"done","ok":true}')
