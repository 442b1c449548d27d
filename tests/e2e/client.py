"""Drives mcp/examples/stdio_server.rs, http/examples/everything or the board of embedded-example with the official Python
SDK, version 1 or 2.

Which of them it is, the server says by its name. What all have in common is checked of all.

Usage: client.py legacy|modern COMMAND [ARGUMENT]...
       client.py legacy|modern URL
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
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import CreateMessageResult, ElicitResult, EmptyResult, Request, TextContent
else:
    from mcp import MCPError as ProtocolError
    from mcp_types import CreateMessageResult, ElicitResult, EmptyResult, Request, TextContent


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


async def fill_in(context, params):
    """Answers for the user: a value for each field of the form."""
    values = {"name": "Ada", "color": "blue", "username": "ada", "email": "ada@example.com"}
    schema = getattr(params, "requestedSchema", None) or params.requested_schema
    return ElicitResult(action="accept", content={name: values[name] for name in schema["properties"]})


async def sample(context, params):
    """Answers for the model."""
    return CreateMessageResult(role="assistant", content=TextContent(type="text", text="Paris"), model="e2e")


@asynccontextmanager
async def connect(era, command, strays, notes):
    """Gives what calls methods, the session below it, the server's name, and the version agreed upon."""
    is_http = command[0].startswith("http://")
    server = command[0] if is_http else mcp.StdioServerParameters(command=command[0], args=command[1:])
    answers = {"elicitation_callback": fill_in, "sampling_callback": sample} if is_http else {}

    async def on_message(message):
        if isinstance(message, Exception):
            strays.append(message)
        else:
            notes.append(getattr(getattr(message, "root", message), "method", None))

    if hasattr(mcp, "Client"):
        mode = {"legacy": "legacy", "modern": "auto"}[era]
        async with mcp.Client(server, mode=mode, message_handler=on_message, **answers) as client:
            yield client, client.session, client.server_info.name, client.protocol_version
    else:
        async with streamable_http_client(server) if is_http else mcp.stdio_client(server) as streams:
            async with mcp.ClientSession(*streams[:2], message_handler=on_message, **answers) as session:
                opened = await session.initialize()
                yield session, session, opened.serverInfo.name, opened.protocolVersion


async def call_tool(client, *call, **options):
    """Whether the tool failed, and what it said."""
    result = wire(await client.call_tool(*call, **options))
    return result.get("isError", False), text(result["content"])


async def call_counting(client, tool, arguments, steps):
    """The same, of a tool that reports each of so many steps."""
    return await call_reporting(client, tool, arguments, [(step, steps) for step in range(1, steps + 1)])


async def call_reporting(client, tool, arguments, reports):
    """The same, of a tool that reports this progress."""
    seen = []

    async def on_progress(progress, total, message):
        seen.append((progress, total))

    result = await call_tool(client, tool, arguments, progress_callback=on_progress)
    check(f"progress of every step of {tool}", seen, reports)
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


async def drive_everything(client):
    tools = [tool["name"] for tool in wire(await client.list_tools())["tools"]]
    check("tools/list", (tools[0], "test_extra_tool" in tools), ("test_simple_text", False))

    simple = (False, ["This is a simple text response for testing."])
    check("tools/call test_simple_text", await call_tool(client, "test_simple_text", {}), simple)
    failed, _ = await call_tool(client, "test_error_handling", {})
    check("tools/call test_error_handling is a failure of the tool", failed, True)
    for region in ["north", " Ünïcode, with spaces "]:
        # In 2026-07-28, the region is in a header as well.
        check("tools/call test_header", await call_tool(client, "test_header", {"region": region}), (False, [region]))

    reports = [(progress, 100) for progress in (0, 50, 100)]
    worked = await call_reporting(client, "test_tool_with_progress", {}, reports)
    check("tools/call test_tool_with_progress", worked, (False, ["The work is done."]))
    resumed = await call_tool(client, "test_reconnection", {})
    check("tools/call test_reconnection", resumed, (False, ["The client has come back for this result."]))

    # Requests of the server, or results that require input.
    said = await call_tool(client, "test_sampling", {"prompt": "What is the capital of France?"})
    check("the server asks the model", said, (False, ['LLM response: "Paris"']))
    said = await call_tool(client, "test_input_required_result_multi_round", {})
    check("the server asks the user twice", said, (False, ['"Ada" likes "blue".']))
    failed, [reason] = await call_tool(client, "test_elicitation", {"message": "Who are you?"})
    check("the server asks the user", (failed, "ada@example.com" in reason), (False, True))

    resources = wire(await client.list_resources())["resources"]
    check("resources/list", resources[0]["uri"], "test://static-text")
    contents = wire(await client.read_resource("test://template/Ada/data"))["contents"]
    check("resources/read", [json.loads(part["text"])["id"] for part in contents], ["Ada"])

    prompts = wire(await client.list_prompts())["prompts"]
    check("prompts/list", prompts[0]["name"], "test_simple_prompt")
    got = wire(await client.get_prompt("test_prompt_with_arguments", {"arg1": "Ada", "arg2": "Ünïcode"}))
    said = "Prompt with arguments: arg1='Ada', arg2='Ünïcode'"
    check("prompts/get", text([message["content"] for message in got["messages"]]), [said])
    await check_error("an unknown prompt", client.get_prompt("nosuch", {}), -32602)

    calls = await asyncio.gather(*(call_tool(client, "test_simple_text", {}) for _ in range(100)))
    check("100 calls at once", calls, [simple] * 100)


async def drive_session(client, notes):
    """What the server sends on the stream of the session. In 2026-07-28, there is none."""

    async def expect(note):
        for _ in range(100):
            if note in notes:
                break
            await asyncio.sleep(0.05)
        check(f"{note} on the stream of the session", notes.count(note), 1)

    await client.call_tool("test_trigger_tool_change", {})
    await expect("notifications/tools/list_changed")
    check("the tool is there", await call_tool(client, "test_extra_tool", {}), (False, ["This tool comes and goes."]))
    await client.call_tool("test_trigger_tool_change", {})
    await client.subscribe_resource("test://watched-resource")
    await client.call_tool("test_trigger_resource_update", {})
    await expect("notifications/resources/updated")
    await client.unsubscribe_resource("test://watched-resource")


async def drive_subscription(client):
    """What the server sends to a client that listens."""
    wanted = {"tools_list_changed": True, "resource_subscriptions": ["test://watched-resource"]}
    async with client.listen(**wanted) as subscription:
        for trigger in ["tool_change", "prompt_change", "resource_update"]:
            await client.call_tool(f"test_trigger_{trigger}", {})
        seen = []
        async with asyncio.timeout(5):
            async for event in subscription:
                seen.append(type(event).__name__)
                if len(seen) == 2:
                    break
    # It has not asked for changes of prompts.
    check("subscriptions/listen", seen, ["ToolsListChanged", "ResourceUpdated"])
    for trigger in ["tool_change", "prompt_change"]:
        await client.call_tool(f"test_trigger_{trigger}", {})


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


SURFACES = {
    "tautline-stdio-server": drive_example,
    "tautline-everything": drive_everything,
    "tautline-board": drive_board,
}


async def drive(era, command):
    strays, notes = [], []
    async with connect(era, command, strays, notes) as (client, session, name, revision):
        # Another server may stand in for the example server, under its own name.
        surface = "tautline-stdio-server" if name == os.environ.get("E2E_NAME") else name
        check(f"the server's name, {name}", surface in SURFACES, True)
        check(f"the {era} version", revision, {"legacy": "2025-11-25", "modern": "2026-07-28"}[era])
        await SURFACES[surface](client)
        if name == "tautline-everything":
            await (drive_subscription(client) if era == "modern" else drive_session(client, notes))

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
