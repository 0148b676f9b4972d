#!/usr/bin/env python3
# Says that it failed and not why.
print('{"version":"0","type":"done","ok":false}')
