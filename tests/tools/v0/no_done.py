#!/usr/bin/env python3
# Exits with 0 and never says done.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
