#!/usr/bin/env python3
# Leaves a comma at the end.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm",}')
print('{"version":"0","type":"done","ok":true}')
