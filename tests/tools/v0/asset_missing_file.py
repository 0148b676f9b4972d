#!/usr/bin/env python3
# Announces an asset that is not there.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print(
    '{"version":"0","type":"asset","assetId":"ghost","kind":"image","mediaType":"image/png","path":"no-such-file.png"}'
)
print('{"version":"0","type":"done","ok":true}')
