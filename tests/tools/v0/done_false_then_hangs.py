#!/usr/bin/env python3
# Says that it failed and does not exit.
import time

print('{"version":"0","type":"error","errorCode":"WET_WOOD","errorMessage":"the wood is wet"}')
print('{"version":"0","type":"done","ok":false}', flush=True)
time.sleep(600)
