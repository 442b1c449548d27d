// Drives a server of the surface of mcp/examples/stdio_server.rs or of http/examples/everything with the command line of
// the MCP Inspector, which connects anew for each method. It has to stand beside the node_modules that hold the Inspector.
//
// Usage: inspector.mjs legacy|modern COMMAND [ARGUMENT]...
//        inspector.mjs legacy|modern URL

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const [era, command, ...args] = process.argv.slice(2);
const launcher = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

// The era can be chosen in a configuration alone; and nothing is to be left in the home of who runs this.
const home = join(import.meta.dirname, 'home');
mkdirSync(home, { recursive: true });
const config = join(home, 'servers.json');
const isHttp = command.startsWith('http://');
const server = isHttp ? { type: 'streamable-http', url: command } : { type: 'stdio', command, args };
writeFileSync(config, JSON.stringify({ mcpServers: { e2e: { ...server, protocolEra: era } } }));

/** The exit code, and the result or the error of a method. */
const inspect = (method, ...options) => {
    const fixed = ['--cli', '--config', config, '--server', 'e2e', '--format', 'json', '--method', method];
    const run = spawnSync(process.execPath, [launcher, ...fixed, ...options], {
        encoding: 'utf8',
        env: { ...process.env, HOME: home },
    });
    try {
        return { status: run.status, ...JSON.parse(run.stdout || run.stderr) };
    } catch {
        return { status: run.status, output: run.stdout + run.stderr };
    }
};
const check = (step, seen, pick, expected) => {
    let picked;
    try {
        picked = [seen.status, pick(seen.result ?? seen.error)];
    } catch {
        // Not of the shape that is picked from: shown as it is, below.
    }
    if (!isDeepStrictEqual(picked, expected)) {
        console.log(`FAILED ${step}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(seen)}`);
        process.exit(1);
    }
    console.log(`ok ${step}`);
};
const texts = result => result.content.map(part => part.text);

const revision = { legacy: '2025-11-25', modern: '2026-07-28' }[era];
const opened = inspect('initialize');
const name = process.env.E2E_NAME ?? (isHttp ? 'tautline-everything' : 'tautline-stdio-server');
check("the server's name", opened, result => result.serverInfo.name, [0, name]);
check(`the ${era} version`, opened, result => result.protocolVersion, [0, revision]);

const names = result => result.tools.map(tool => tool.name).sort();
const call = (tool, ...pairs) => inspect('tools/call', '--tool-name', tool, ...pairs.flatMap(pair => ['--tool-arg', pair]));
const uris = result => result.resources.map(resource => resource.uri);

const driveExample = () => {
    check('tools/list', inspect('tools/list'), names, [0, ['add', 'count', 'fail']]);

    check('tools/call add', call('add', 'a=2', 'b=3'), texts, [0, ['5']]);
    check('tools/call count', call('count', 'steps=3'), texts, [0, ['counted to 3']]);
    check('tools/call fail is a failure of the tool', call('fail'), result => result.isError, [5, true]);

    check('resources/list', inspect('resources/list'), uris, [0, ['info://server']]);
    const read = inspect('resources/read', '--uri', 'info://server');
    check('resources/read', read, result => result.contents.map(part => part.text !== ''), [0, [true]]);

    const parameters = result => result.prompts.map(prompt => [prompt.name, prompt.arguments[0].name]);
    check('prompts/list', inspect('prompts/list'), parameters, [0, [['greet', 'name']]]);
    const greeted = inspect('prompts/get', '--prompt-name', 'greet', '--prompt-args', 'name=Ada');
    check('prompts/get', greeted, result => result.messages[0].content.text.includes('Ada'), [0, true]);
};

const driveEverything = () => {
    const simple = result => names(result).includes('test_simple_text');
    check('tools/list', inspect('tools/list'), simple, [0, true]);
    const said = ['This is a simple text response for testing.'];
    check('tools/call test_simple_text', call('test_simple_text'), texts, [0, said]);
    check('tools/call test_header', call('test_header', 'region=Ünïcode'), texts, [0, ['Ünïcode']]);
    check('tools/call test_tool_with_progress', call('test_tool_with_progress'), texts, [0, ['The work is done.']]);
    const failed = call('test_error_handling');
    check('tools/call test_error_handling is a failure of the tool', failed, result => result.isError, [5, true]);

    check('resources/list', inspect('resources/list'), result => uris(result)[0], [0, 'test://static-text']);
    const read = inspect('resources/read', '--uri', 'test://static-text');
    check('resources/read', read, result => result.contents.map(part => part.text !== ''), [0, [true]]);

    const got = inspect('prompts/get', '--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=Ada', 'arg2=x');
    check('prompts/get', got, result => result.messages[0].content.text.includes('Ada'), [0, true]);
};
(name === 'tautline-everything' ? driveEverything : driveExample)();

const missing = inspect('resources/read', '--uri', 'info://nosuch');
check('an unknown resource', missing, error => error.code, [1, 'error']);
