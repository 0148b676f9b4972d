#!/usr/bin/env python3
# Reports an error without a code.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"error","errorCode":"","errorMessage":"hm"}')
print('{"version":"0","type":"done","ok":true}')
