#!/usr/bin/env python3
# Announces two assets under one id.
import json

asset = {
    "version": "0",
    "type": "asset",
    "assetId": "twin",
    "kind": "text",
    "mediaType": "text/x-python",
    "path": __file__,
}
print(json.dumps(asset))
print(json.dumps(asset))
print('{"version":"0","type":"done","ok":true}')
