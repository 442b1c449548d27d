// Drives a server of the surface of examples/stdio_server.rs with the official TypeScript SDK, version 1 or 2.
// It has to stand beside the node_modules that hold the two.
//
// Usage: client.mjs v1|v2 legacy|modern COMMAND [ARGUMENT]...

import { isDeepStrictEqual } from 'node:util';

const [sdk, era, command, ...args] = process.argv.slice(2);
const strays = [];

const check = (step, seen, expected) => {
    if (!isDeepStrictEqual(seen, expected)) {
        console.log(`FAILED ${step}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(seen)}`);
        process.exit(1);
    }
    console.log(`ok ${step}`);
};
const checkError = async (step, call, code) => check(step, await call.catch(error => error.code ?? String(error)), code);
const texts = content => content.map(part => part.text);

/** A connected client with the differences between the two versions of the SDK behind it. */
const connect = {
    async v1() {
        const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
        const { EmptyResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
        const client = new Client({ name: 'e2e', version: '1' });
        const transport = new StdioClientTransport({ command, args });
        let revision;
        transport.setProtocolVersion = version => (revision = version);
        await client.connect(transport);
        return {
            client,
            transport,
            revision,
            callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
            request: request => client.request(request, EmptyResultSchema),
        };
    },
    async v2() {
        const { Client } = await import('@modelcontextprotocol/client');
        const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
        const mode = era === 'modern' ? 'auto' : 'legacy';
        const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } });
        const transport = new StdioClientTransport({ command, args });
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

check("the server's name", client.getServerVersion()?.name, process.env.E2E_NAME ?? 'tautline-stdio-server');
check(`the ${era} version`, revision, { legacy: '2025-11-25', modern: '2026-07-28' }[era]);

const { tools } = await client.listTools();
check('tools/list', tools.map(tool => tool.name).sort(), ['add', 'count', 'fail']);

const added = await callTool('add', { a: 2, b: 3 });
check('tools/call add', [added.isError ?? false, texts(added.content)], [false, ['5']]);

const failed = await callTool('fail', {});
check('tools/call fail is a failure of the tool', [failed.isError, failed.content.length], [true, 1]);

const steps = [];
const counted = await callTool('count', { steps: 100 }, { onprogress: ({ progress, total }) => steps.push([progress, total]) });
check('tools/call count', texts(counted.content), ['counted to 100']);
check('progress of every step', steps, Array.from({ length: 100 }, (_, step) => [step + 1, 100]));
const quiet = await callTool('count', { steps: 3 });
check('tools/call count, without progress', texts(quiet.content), ['counted to 3']);

const { resources } = await client.listResources();
check('resources/list', resources.map(resource => resource.uri), ['info://server']);
const { contents } = await client.readResource({ uri: 'info://server' });
check('resources/read', contents.map(part => [part.mimeType, part.text !== '']), [['text/plain', true]]);

const { prompts } = await client.listPrompts();
const parameters = prompts.map(prompt => [prompt.name, prompt.arguments.map(({ name, required }) => [name, required])]);
check('prompts/list', parameters, [['greet', [['name', true]]]]);
const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada Ünïcode' } });
check('prompts/get', messages.map(message => message.content.text.includes('Ada Ünïcode')), [true]);

await checkError('an unknown tool', callTool('nosuch', {}), -32602);
await checkError('an unknown resource', client.readResource({ uri: 'info://nosuch' }), -32602);
await checkError('an unknown prompt', client.getPrompt({ name: 'nosuch' }), -32602);
await checkError('an unknown method', request({ method: 'nosuch/method', params: {} }), -32601);

if (era === 'legacy') {
    check('ping', await client.ping(), {});
} else {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' };
    await checkError('an unsupported version', request({ method: 'tools/list', params: { _meta } }), -32022);
}

const numbers = Array.from({ length: 100 }, (_, number) => number);
const sums = await Promise.all(numbers.map(async a => texts((await callTool('add', { a, b: 1000 * a })).content)));
check('100 calls at once', sums, numbers.map(a => [String(1001 * a)]));

await client.close();
check('nothing astray, and closed', strays, []);
