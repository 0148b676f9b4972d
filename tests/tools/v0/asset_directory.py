#!/usr/bin/env python3
# Announces a folder as an asset.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"asset","assetId":"folder","kind":"image","mediaType":"image/png","path":"."}')
print('{"version":"0","type":"done","ok":true}')
