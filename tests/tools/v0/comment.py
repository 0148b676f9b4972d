#!/usr/bin/env python3
# Puts a comment into its JSON.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log",/* why not */"level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
