#!/usr/bin/env python3
# Announces an asset of no media type.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"asset","assetId":"a","kind":"image","mediaType":"picture","path":"a.png"}')
print('{"version":"0","type":"done","ok":true}')
