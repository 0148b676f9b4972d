#!/usr/bin/env python3
# Has a number of 100,000 digits in a patch.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch","patch":{"n":' + "9" * 100_000 + "}}")
print('{"version":"0","type":"done","ok":true}')
