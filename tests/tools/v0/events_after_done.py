#!/usr/bin/env python3
# Goes on with events after done.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
for _ in range(3):
    print('{"version":"0","type":"log","level":"info","message":"still fine"}')
