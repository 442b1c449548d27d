"""Drives mcp/examples/stdio_server.rs or the board of embedded-example with the official Python SDK, version 1 or 2.

Which of the two it is, the server says by its name. What both have in common is checked of both.

Usage: client.py legacy|modern COMMAND [ARGUMENT]...
"""

import asyncio
import json
import os
import re
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


async def call_tool(client, *call, **options):
    """Whether the tool failed, and what it said."""
    result = wire(await client.call_tool(*call, **options))
    return result.get("isError", False), text(result["content"])


async def call_counting(client, tool, arguments, steps):
    """The same, of a tool that reports each of so many steps."""
    seen = []

    async def on_progress(progress, total, message):
        seen.append((progress, total))

    result = await call_tool(client, tool, arguments, progress_callback=on_progress)
    check(f"progress of every step of {tool}", seen, [(step, steps) for step in range(1, steps + 1)])
    return result


async def drive_example(client):
    tools = wire(await client.list_tools())["tools"]
    check("tools/list", sorted(tool["name"] for tool in tools), ["add", "count", "fail"])

    check("tools/call add", await call_tool(client, "add", {"a": 2, "b": 3}), (False, ["5"]))

    failed = wire(await client.call_tool("fail", {}))
    check("tools/call fail is a failure of the tool", (failed["isError"], len(failed["content"])), (True, 1))

    counted = await call_counting(client, "count", {"steps": 100}, 100)
    check("tools/call count", counted, (False, ["counted to 100"]))
    counted = await call_tool(client, "count", {"steps": 3})
    check("tools/call count, without progress", counted, (False, ["counted to 3"]))

    resources = wire(await client.list_resources())["resources"]
    check("resources/list", [resource["uri"] for resource in resources], ["info://server"])
    contents = wire(await client.read_resource("info://server"))["contents"]
    check("resources/read", [(part["mimeType"], part["text"] != "") for part in contents], [("text/plain", True)])

    prompts = wire(await client.list_prompts())["prompts"]
    arguments = [(prompt["name"], [(a["name"], a["required"]) for a in prompt["arguments"]]) for prompt in prompts]
    check("prompts/list", arguments, [("greet", [("name", True)])])
    messages = wire(await client.get_prompt("greet", {"name": "Ada Ünïcode"}))["messages"]
    check("prompts/get", ["Ada Ünïcode" in message["content"]["text"] for message in messages], [True])
    await check_error("an unknown prompt", client.get_prompt("nosuch", {}), -32602)

    sums = await asyncio.gather(*(call_tool(client, "add", {"a": n, "b": 1000 * n}) for n in range(100)))
    check("100 calls at once", sums, [(False, [str(1001 * n)]) for n in range(100)])


async def drive_board(client):
    # There may have been another client before, which has left half a line.
    faults = (await read_info(client))["faults"]
    tools = sorted(tool["name"] for tool in wire(await client.list_tools())["tools"])
    check("tools/list", tools, ["echo", "read_led", "read_temperature", "sample_temperature", "set_led"])

    failed, [reading] = await call_tool(client, "read_temperature", {})
    check("tools/call read_temperature", (failed, re.sub(r"\d", "0", reading)), (False, "00.000 °C"))

    for on, said in [(True, "The LED is on."), (False, "The LED is off.")]:
        check(f"tools/call set_led {on}", await call_tool(client, "set_led", {"on": on}), (False, [said]))
        check(f"tools/call read_led {on}", await call_tool(client, "read_led", {}), (False, [said]))
    failed, _ = await call_tool(client, "set_led", {"on": "yes"})
    check("wrong arguments are a failure of the tool", failed, True)

    for said in ["", 'a "b" \\ \n c', "Ada Ünïcode 🙂", "x" * 700]:
        check("tools/call echo", await call_tool(client, "echo", {"text": said}), (False, [said]))

    arguments = {"count": 20, "interval_ms": 20}
    failed, [summary] = await call_counting(client, "sample_temperature", arguments, 20)
    mean, lowest, highest = map(float, re.findall(r"[\d.]+", summary))
    check("tools/call sample_temperature", (failed, lowest <= mean <= highest), (False, True))

    # Of two that take long one is refused, and a short call does not wait for the other.
    took_long, refused, read = await asyncio.gather(
        call_tool(client, "sample_temperature", {"count": 20, "interval_ms": 20}),
        call_tool(client, "sample_temperature", {"count": 1}),
        call_tool(client, "read_led", {}),
    )
    check("calls beside one that takes long", [failed for failed, _ in (took_long, refused, read)], [False, True, False])

    resources = wire(await client.list_resources())["resources"]
    check("resources/list", [resource["uri"] for resource in resources], ["board://info"])
    before = await read_info(client)
    check("resources/read", (before["frames"], before["faults"]), (before["messages"] + faults, faults))
    print(f"-- {before}")

    for n in range(200):
        said = f"call {n}"
        seen = await call_tool(client, "echo", {"text": said})
        if seen != (False, [said]):
            check("200 calls in a row", seen, said)
    after = await read_info(client)
    check("200 calls in a row", after["messages"] - before["messages"], 201)


async def read_info(client):
    [part] = wire(await client.read_resource("board://info"))["contents"]
    return json.loads(part["text"])


SURFACES = {"tautline-stdio-server": drive_example, "tautline-board": drive_board}


async def drive(era, command):
    strays = []
    async with connect(era, command, strays) as (client, session, name, revision):
        # Another server may stand in for the example server, under its own name.
        surface = "tautline-stdio-server" if name == os.environ.get("E2E_NAME") else name
        check(f"the server's name, {name}", surface in SURFACES, True)
        check(f"the {era} version", revision, {"legacy": "2025-11-25", "modern": "2026-07-28"}[era])
        await SURFACES[surface](client)

        await check_error("an unknown tool", client.call_tool("nosuch", {}), -32602)
        not_found = {"legacy": -32002, "modern": -32602}[era]
        await check_error("an unknown resource", client.read_resource("info://nosuch"), not_found)
        unknown = Request(method="nosuch/method", params={})
        await check_error("an unknown method", session.send_request(unknown, EmptyResult), -32601)

        if era == "legacy":
            check("ping", wire(await session.send_ping()), {})
        else:
            await check_error("an unsupported version", session.send_discover("1900-01-01"), -32022)
    check("nothing astray, and closed", strays, [])


asyncio.run(drive(sys.argv[1], sys.argv[2:]))
