#!/usr/bin/env python3
# Reports an error, exits with 0 and never says done.
print('{"version":"0","type":"error","errorCode":"WET_WOOD","errorMessage":"the wood is wet"}')
