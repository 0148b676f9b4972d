#!/usr/bin/env python3
# Nests 900 levels deep, the event itself included.
depth = 899
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch","patch":' + '{"a":' * (depth - 1) + "{}" + "}" * depth)
print('{"version":"0","type":"done","ok":true}')
