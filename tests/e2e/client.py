"""Drives a server of the surface of examples/stdio_server.rs with the official Python SDK, version 1 or 2.

Usage: client.py legacy|modern COMMAND [ARGUMENT]...
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import mcp

if version("mcp").startswith("1."):
    from mcp import McpError as ProtocolError
    from mcp.types import EmptyResult, Request
else:
    from mcp import MCPError as ProtocolError
    from mcp_types import EmptyResult, Request


def check(step, seen, expected):
    if seen != expected:
        print(f"FAILED {step}: expected {expected!r}, got {seen!r}", flush=True)
        sys.exit(1)
    print(f"ok {step}", flush=True)


async def check_error(step, call, code):
    try:
        seen = await call
    except ProtocolError as error:
        seen = error.error.code
    check(step, seen, code)


def wire(model):
    """The members as they are on the wire: the two versions of the SDK name their attributes differently."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def text(content):
    return [part["text"] for part in content]


@asynccontextmanager
async def connect(era, command, strays):
    """Gives what calls methods, the session below it, the server's name, and the version agreed upon."""
    server = mcp.StdioServerParameters(command=command[0], args=command[1:])

    async def on_message(message):
        if isinstance(message, Exception):
            strays.append(message)

    if hasattr(mcp, "Client"):
        mode = {"legacy": "legacy", "modern": "auto"}[era]
        async with mcp.Client(server, mode=mode, message_handler=on_message) as client:
            yield client, client.session, client.server_info.name, client.protocol_version
    else:
        async with mcp.stdio_client(server) as streams:
            async with mcp.ClientSession(*streams, message_handler=on_message) as session:
                opened = await session.initialize()
                yield session, session, opened.serverInfo.name, opened.protocolVersion


async def drive(era, command):
    strays = []
    async with connect(era, command, strays) as (client, session, name, revision):
        check("the server's name", name, os.environ.get("E2E_NAME", "tautline-stdio-server"))
        check(f"the {era} version", revision, {"legacy": "2025-11-25", "modern": "2026-07-28"}[era])

        tools = wire(await client.list_tools())["tools"]
        check("tools/list", sorted(tool["name"] for tool in tools), ["add", "count", "fail"])

        added = wire(await client.call_tool("add", {"a": 2, "b": 3}))
        check("tools/call add", (added.get("isError", False), text(added["content"])), (False, ["5"]))

        failed = wire(await client.call_tool("fail", {}))
        check("tools/call fail is a failure of the tool", (failed["isError"], len(failed["content"])), (True, 1))

        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total))

        counted = wire(await client.call_tool("count", {"steps": 100}, progress_callback=on_progress))
        check("tools/call count", text(counted["content"]), ["counted to 100"])
        check("progress of every step", seen, [(step, 100) for step in range(1, 101)])
        counted = wire(await client.call_tool("count", {"steps": 3}))
        check("tools/call count, without progress", text(counted["content"]), ["counted to 3"])

        resources = wire(await client.list_resources())["resources"]
        check("resources/list", [resource["uri"] for resource in resources], ["info://server"])
        contents = wire(await client.read_resource("info://server"))["contents"]
        check("resources/read", [(part["mimeType"], part["text"] != "") for part in contents], [("text/plain", True)])

        prompts = wire(await client.list_prompts())["prompts"]
        arguments = [(prompt["name"], [(a["name"], a["required"]) for a in prompt["arguments"]]) for prompt in prompts]
        check("prompts/list", arguments, [("greet", [("name", True)])])
        messages = wire(await client.get_prompt("greet", {"name": "Ada Ünïcode"}))["messages"]
        check("prompts/get", ["Ada Ünïcode" in message["content"]["text"] for message in messages], [True])

        await check_error("an unknown tool", client.call_tool("nosuch", {}), -32602)
        await check_error("an unknown resource", client.read_resource("info://nosuch"), -32602)
        await check_error("an unknown prompt", client.get_prompt("nosuch", {}), -32602)
        unknown = Request(method="nosuch/method", params={})
        await check_error("an unknown method", session.send_request(unknown, EmptyResult), -32601)

        if era == "legacy":
            check("ping", wire(await session.send_ping()), {})
        else:
            await check_error("an unsupported version", session.send_discover("1900-01-01"), -32022)

        sums = await asyncio.gather(*(client.call_tool("add", {"a": n, "b": 1000 * n}) for n in range(100)))
        check("100 calls at once", [text(wire(added)["content"]) for added in sums], [[str(1001 * n)] for n in range(100)])
    check("nothing astray, and closed", strays, [])


asyncio.run(drive(sys.argv[1], sys.argv[2:]))
