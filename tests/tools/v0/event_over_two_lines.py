#!/usr/bin/env python3
# Writes an event in pretty print.
import json

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print(json.dumps(json.loads('{"version":"0","type":"log","level":"info","message":"still fine"}'), indent=2))
print('{"version":"0","type":"done","ok":true}')
