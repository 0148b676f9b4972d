#!/usr/bin/env python3
# Has null for a patch.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch","patch":null}')
print('{"version":"0","type":"done","ok":true}')
