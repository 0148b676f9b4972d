#!/usr/bin/env python3
# Has a -Infinity in a patch.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch","patch":{"warmth":-Infinity}}')
print('{"version":"0","type":"done","ok":true}')
