#!/usr/bin/env python3
# Has 500 brackets in a message: text, not nesting.
print('{"version":"0","type":"log","level":"info","message":"%"}'.replace("%", '[{\\"' * 250))
print('{"version":"0","type":"done","ok":true}')
