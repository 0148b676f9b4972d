#!/usr/bin/env python3
# Has an array for the fields of a log.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","fields":[]}')
print('{"version":"0","type":"done","ok":true}')
