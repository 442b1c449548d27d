// Drives mcp/examples/stdio_server.rs, http/examples/everything or the board of embedded-example with the official
// TypeScript SDK, version 1 or 2. Which of them it is, the server says by its name. What all have in common is checked of
// all. It has to stand beside the node_modules that hold the two versions.
//
// Usage: client.mjs v1|v2 legacy|modern COMMAND [ARGUMENT]...
//        client.mjs v1|v2 legacy|modern URL

import { isDeepStrictEqual } from 'node:util';

const [sdk, era, command, ...args] = process.argv.slice(2);
const isHttp = command.startsWith('http://');
const strays = [];

const check = (step, seen, expected) => {
    if (!isDeepStrictEqual(seen, expected)) {
        console.log(`FAILED ${step}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(seen)}`);
        process.exit(1);
    }
    console.log(`ok ${step}`);
};
const checkError = async (step, call, code) => check(step, await call.catch(codeOf), code);
/** The code of an error. */
const codeOf = error => {
    const body = error.data?.text;
    if (body === undefined) return error.code ?? String(error);
    // Version 2 reads the error of a response with 400 to a revision that it knows, but not with 404. It reports the
    // response instead.
    strays.pop();
    return JSON.parse(body).error.code;
};
const texts = content => content.map(part => part.text);

// The answers of the user and of the model, whom only the server on HTTP asks.
const options = isHttp ? { capabilities: { elicitation: {}, sampling: {} } } : {};
const fillIn = ({ params }) => {
    const values = { name: 'Ada', color: 'blue', username: 'ada', email: 'ada@example.com' };
    const names = Object.keys(params.requestedSchema.properties);
    return { action: 'accept', content: Object.fromEntries(names.map(name => [name, values[name]])) };
};
const sample = () => ({ role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'e2e' });

/** A connected client with the differences between the two versions of the SDK behind it. */
const connect = {
    async v1() {
        const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
        const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
        const types = await import('@modelcontextprotocol/sdk/types.js');
        const client = new Client({ name: 'e2e', version: '1' }, options);
        if (isHttp) {
            client.setRequestHandler(types.ElicitRequestSchema, fillIn);
            client.setRequestHandler(types.CreateMessageRequestSchema, sample);
        }
        const transport = isHttp
            ? new StreamableHTTPClientTransport(new URL(command))
            : new StdioClientTransport({ command, args });
        let revision;
        const set = transport.setProtocolVersion;
        transport.setProtocolVersion = version => {
            revision = version;
            set?.call(transport, version);
        };
        await client.connect(transport);
        return {
            client,
            transport,
            revision,
            callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
            request: request => client.request(request, types.EmptyResultSchema),
        };
    },
    async v2() {
        const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
        const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
        const mode = era === 'modern' ? 'auto' : 'legacy';
        const client = new Client({ name: 'e2e', version: '1' }, { ...options, versionNegotiation: { mode } });
        if (isHttp) {
            client.setRequestHandler('elicitation/create', fillIn);
            client.setRequestHandler('sampling/createMessage', sample);
        }
        const transport = isHttp
            ? new StreamableHTTPClientTransport(new URL(command))
            : new StdioClientTransport({ command, args });
        await client.connect(transport);
        const anything = { '~standard': { version: 1, vendor: 'e2e', validate: value => ({ value }) } };
        return {
            client,
            transport,
            revision: client.getNegotiatedProtocolVersion(),
            callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
            request: request => client.request(request, anything),
        };
    },
};

const { client, transport, revision, callTool, request } = await connect[sdk]();
client.onerror = error => strays.push(String(error));

// The SDK drops the progress that arrives in one chunk with the result of its call (issue 2580 of
// typescript-sdk), and no server can prevent that; so it gets one message a turn.
const deliver = transport.onmessage;
transport.onmessage = (...message) => setImmediate(deliver, ...message);

/** Whether the tool failed, and what it said. */
const tell = async (name, args, options) => {
    const { isError = false, content } = await callTool(name, args, options);
    return [isError, ...texts(content)];
};

/** The same, of a tool that reports this progress. */
const tellReporting = async (name, args, reports) => {
    const steps = [];
    const told = await tell(name, args, { onprogress: ({ progress, total }) => steps.push([progress, total]) });
    check(`progress of every step of ${name}`, steps, reports);
    return told;
};

/** The same, of a tool that reports each of so many steps. */
const tellCounting = (name, args, count) =>
    tellReporting(name, args, Array.from({ length: count }, (_, step) => [step + 1, count]));

const surfaces = {
    async 'tautline-stdio-server'() {
        const { tools } = await client.listTools();
        check('tools/list', tools.map(tool => tool.name).sort(), ['add', 'count', 'fail']);

        check('tools/call add', await tell('add', { a: 2, b: 3 }), [false, '5']);
        const failed = await callTool('fail', {});
        check('tools/call fail is a failure of the tool', [failed.isError, failed.content.length], [true, 1]);
        check('tools/call count', await tellCounting('count', { steps: 100 }, 100), [false, 'counted to 100']);
        check('tools/call count, without progress', await tell('count', { steps: 3 }), [false, 'counted to 3']);

        const { resources } = await client.listResources();
        check('resources/list', resources.map(resource => resource.uri), ['info://server']);
        const { contents } = await client.readResource({ uri: 'info://server' });
        check('resources/read', contents.map(part => [part.mimeType, part.text !== '']), [['text/plain', true]]);

        const { prompts } = await client.listPrompts();
        const parameters = prompts.map(prompt => [prompt.name, prompt.arguments.map(({ name, required }) => [name, required])]);
        check('prompts/list', parameters, [['greet', [['name', true]]]]);
        const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada Ünïcode' } });
        check('prompts/get', messages.map(message => message.content.text.includes('Ada Ünïcode')), [true]);
        await checkError('an unknown prompt', client.getPrompt({ name: 'nosuch' }), -32602);

        const numbers = Array.from({ length: 100 }, (_, number) => number);
        const sums = await Promise.all(numbers.map(a => tell('add', { a, b: 1000 * a })));
        check('100 calls at once', sums, numbers.map(a => [false, String(1001 * a)]));
    },

    async 'tautline-everything'() {
        const { tools } = await client.listTools();
        check('tools/list', tools[0].name, 'test_simple_text');
        check('tools/list', tools.some(tool => tool.name === 'test_extra_tool'), false);

        const simple = [false, 'This is a simple text response for testing.'];
        check('tools/call test_simple_text', await tell('test_simple_text', {}), simple);
        const [failed] = await tell('test_error_handling', {});
        check('tools/call test_error_handling is a failure of the tool', failed, true);
        for (const region of ['north', ' Ünïcode, with spaces ']) {
            // In 2026-07-28, the region is in a header as well.
            check('tools/call test_header', await tell('test_header', { region }), [false, region]);
        }

        const reports = [0, 50, 100].map(progress => [progress, 100]);
        const worked = await tellReporting('test_tool_with_progress', {}, reports);
        check('tools/call test_tool_with_progress', worked, [false, 'The work is done.']);
        const resumed = await tell('test_reconnection', {});
        check('tools/call test_reconnection', resumed, [false, 'The client has come back for this result.']);

        // Requests of the server, or results that require input.
        const sampled = await tell('test_sampling', { prompt: 'What is the capital of France?' });
        check('the server asks the model', sampled, [false, 'LLM response: "Paris"']);
        const twice = await tell('test_input_required_result_multi_round', {});
        check('the server asks the user twice', twice, [false, '"Ada" likes "blue".']);
        const [, told] = await tell('test_elicitation', { message: 'Who are you?' });
        check('the server asks the user', told.includes('ada@example.com'), true);

        const { resources } = await client.listResources();
        check('resources/list', resources[0].uri, 'test://static-text');
        const { contents } = await client.readResource({ uri: 'test://template/Ada/data' });
        check('resources/read', contents.map(part => JSON.parse(part.text).id), ['Ada']);

        const { prompts } = await client.listPrompts();
        check('prompts/list', prompts[0].name, 'test_simple_prompt');
        const args = { arg1: 'Ada', arg2: 'Ünïcode' };
        const { messages } = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args });
        const said = "Prompt with arguments: arg1='Ada', arg2='Ünïcode'";
        check('prompts/get', texts(messages.map(message => message.content)), [said]);
        await checkError('an unknown prompt', client.getPrompt({ name: 'nosuch' }), -32602);

        const calls = await Promise.all(Array.from({ length: 100 }, () => tell('test_simple_text', {})));
        check('100 calls at once', calls, Array(100).fill(simple));
    },

    async 'tautline-board'() {
        const readInfo = async () => JSON.parse((await client.readResource({ uri: 'board://info' })).contents[0].text);
        // There may have been another client before, which has left half a line.
        const { faults } = await readInfo();

        const { tools } = await client.listTools();
        const names = ['echo', 'read_led', 'read_temperature', 'sample_temperature', 'set_led'];
        check('tools/list', tools.map(tool => tool.name).sort(), names);

        const [, reading] = await tell('read_temperature', {});
        check('tools/call read_temperature', reading.replace(/\d/g, '0'), '00.000 °C');
        for (const [on, said] of [[true, 'The LED is on.'], [false, 'The LED is off.']]) {
            check(`tools/call set_led ${on}`, await tell('set_led', { on }), [false, said]);
            check(`tools/call read_led ${on}`, await tell('read_led', {}), [false, said]);
        }
        const [failed] = await tell('set_led', { on: 'yes' });
        check('wrong arguments are a failure of the tool', failed, true);
        for (const text of ['', 'a "b" \\ \n c', 'Ada Ünïcode 🙂', 'x'.repeat(700)]) {
            check('tools/call echo', await tell('echo', { text }), [false, text]);
        }
        const [failedToo] = await tellCounting('sample_temperature', { count: 20, interval_ms: 20 }, 20);
        check('tools/call sample_temperature', failedToo, false);

        const { resources } = await client.listResources();
        check('resources/list', resources.map(resource => resource.uri), ['board://info']);
        const before = await readInfo();
        check('resources/read', [before.frames, before.faults], [before.messages + faults, faults]);
        for (let n = 0; n < 200; n++) {
            const said = await tell('echo', { text: `call ${n}` });
            if (!isDeepStrictEqual(said, [false, `call ${n}`])) check('200 calls in a row', said, n);
        }
        check('200 calls in a row', (await readInfo()).messages - before.messages, 201);
    },
};

// Another server may stand in for the example server, under its own name.
const name = client.getServerVersion()?.name;
const surface = name === process.env.E2E_NAME ? 'tautline-stdio-server' : name;
check(`the server's name, ${name}`, surface in surfaces, true);
check(`the ${era} version`, revision, { legacy: '2025-11-25', modern: '2026-07-28' }[era]);
await surfaces[surface]();

await checkError('an unknown tool', callTool('nosuch', {}), -32602);
// Version 2 gives the error of 2026-07-28 to its callers if the older one names the resource.
const namesResource = surface === 'tautline-everything';
const notFound = era === 'modern' || (namesResource && sdk === 'v2') ? -32602 : -32002;
await checkError('an unknown resource', client.readResource({ uri: 'info://nosuch' }), notFound);
await checkError('an unknown method', request({ method: 'nosuch/method', params: {} }), -32601);

if (era === 'legacy') {
    check('ping', await client.ping(), {});
} else {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' };
    await checkError('an unsupported version', request({ method: 'tools/list', params: { _meta } }), -32022);
}

if (isHttp && era === 'legacy') {
    await transport.terminateSession();
    check('the session has ended', transport.sessionId, undefined);
}
await client.close();
check('nothing astray, and closed', strays, []);
