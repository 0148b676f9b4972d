"""Stands before a tool that may reach some hosts: makes the socket of the proxy in the box's own network.

The listening socket is handed over to the runtime, which accepts from it; the tool finds its address in the
usual variables. Arguments: the descriptor to hand it over by, `--`, the tool's command line.
"""

import os
import socket
import sys

handing_over = socket.socket(fileno=int(sys.argv[1]))
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
socket.send_fds(handing_over, [b"."], [listener.fileno()])
address = f"http://127.0.0.1:{listener.getsockname()[1]}"
listener.close()
handing_over.close()
for name in ("http_proxy", "https_proxy"):
    os.environ[name] = os.environ[name.upper()] = address
os.environ["no_proxy"] = os.environ["NO_PROXY"] = ""
tool = sys.argv[3:]
try:
    os.execvpe(tool[0], tool, os.environ)
except OSError as error:
    os.write(2, f"{tool[0]} could not be started: {error.strerror}\n".encode(errors="surrogateescape"))
    os._exit(127 if isinstance(error, FileNotFoundError) else 126)
