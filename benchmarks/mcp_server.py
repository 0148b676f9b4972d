"""The least that an MCP client accepts as a server: says the lines of a file, then answers the call."""

import json
import sys


def answer(request_id: object, result: dict[str, object]) -> None:
    print(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        asked_for = message["params"]["protocolVersion"]
        information = {"name": "speaker", "version": "1"}
        capabilities: dict[str, object] = {"tools": {}, "logging": {}}
        answer(
            message["id"],
            {"protocolVersion": asked_for, "capabilities": capabilities, "serverInfo": information},
        )
    elif message.get("method") == "tools/call":
        for name in sys.argv[1:]:
            with open(name) as file:  # noqa: PTH123  pathlib would cost the peer a tenth of its start
                sys.stdout.write(file.read())
        answer(message["id"], {"content": [{"type": "text", "text": "spoken"}], "isError": False})
    elif message.get("method") == "tools/list":
        tool = {"name": "speak", "inputSchema": {"type": "object"}}
        answer(message["id"], {"tools": [tool]})
