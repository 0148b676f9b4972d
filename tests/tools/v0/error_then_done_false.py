#!/usr/bin/env python3
# Fails as it should: an error, then done with ok: false.
print('{"version":"0","type":"error","errorCode":"FIRST","errorMessage":"not this one"}')
print(
    '{"version":"0","type":"error","errorCode":"WET_WOOD","errorMessage":"the wood is wet","details":{"humidity":0.9}}'
)
print('{"version":"0","type":"done","ok":false,"summary":"No fire."}')
