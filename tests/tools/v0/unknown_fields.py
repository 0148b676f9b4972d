#!/usr/bin/env python3
# Has fields of the future: they are ignored.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","mood":{"deep":[1,{"er":null}]}}')
print('{"version":"0","type":"done","ok":true}')
