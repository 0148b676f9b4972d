#!/usr/bin/env python3
# Reports an error and succeeds all the same.
print('{"version":"0","type":"error","errorCode":"WET_WOOD","errorMessage":"the wood is wet"}')
print('{"version":"0","type":"done","ok":true}')
