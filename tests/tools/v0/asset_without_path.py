#!/usr/bin/env python3
# Announces an asset without a path.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"asset","assetId":"a","kind":"image","mediaType":"image/png","path":""}')
print('{"version":"0","type":"done","ok":true}')
