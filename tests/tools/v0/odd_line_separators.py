#!/usr/bin/env python3
# Uses characters that only some call a line end.
print(
    '{"version":"0","type":"log","level":"info","message":"%"}'.replace(
        "%", "one\u2028two\u2029three\x85four"
    )
)
print('{"version":"0","type":"done","ok":true}')
