#!/usr/bin/env python3
# Says that it failed, and exits with 3.
import sys

print('{"version":"0","type":"error","errorCode":"WET_WOOD","errorMessage":"the wood is wet"}')
print('{"version":"0","type":"done","ok":false}')
sys.exit(3)
