// Drives examples/lsp_server.rs with the library that language clients are made of. It has to stand beside the
// node_modules that hold that library.
//
// Usage: lsp.mjs COMMAND [ARGUMENT]...

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import rpc from 'vscode-languageserver-protocol/node';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const exited = once(server, 'exit');
const complaints = [];
const connection = rpc.createProtocolConnection(
    new rpc.StreamMessageReader(server.stdout),
    new rpc.StreamMessageWriter(server.stdin),
    { error: (text) => complaints.push(text), warn: console.warn, info: console.info, log: console.log },
);
connection.onError(([error]) => complaints.push(error.message));
connection.listen();

/** The diagnostics that are published next. */
const published = () =>
    new Promise((resolve) => {
        const listening = connection.onNotification(rpc.PublishDiagnosticsNotification.type, (params) => {
            listening.dispose();
            resolve(params);
        });
    });
const refused = (code) => (error) => error.code === code;

await assert.rejects(connection.sendRequest('textDocument/hover', {}), refused(rpc.ErrorCodes.ServerNotInitialized));

const { capabilities, serverInfo } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
});
assert.equal(capabilities.textDocumentSync, rpc.TextDocumentSyncKind.Full);
assert.equal(serverInfo.name, 'tautline-lsp-server');
await connection.sendNotification(rpc.InitializedNotification.type, {});

const uri = 'file:///e2e.txt';
const marked = (line, start) => ({
    range: { start: { line, character: start }, end: { line, character: start + 4 } },
    severity: rpc.DiagnosticSeverity.Information,
    message: 'to be done',
});
let next = published();
await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'plaintext', version: 1, text: 'done\n\u{1F600} é TODO\nTODO TODO' },
});
assert.deepEqual(await next, { uri, diagnostics: [marked(1, 5), marked(2, 0), marked(2, 5)] });

// As large as documents get, and with what looks like a frame in it.
next = published();
const text = `${'Content-Length: 2\r\n\r\n{}\n'.repeat(50_000)}TODO`;
await connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text }],
});
assert.deepEqual(await next, { uri, diagnostics: [marked(text.split('\n').length - 1, 0)] });

await assert.rejects(connection.sendRequest('tautline/nothing', []), refused(rpc.ErrorCodes.MethodNotFound));

// A body that is not JSON is answered, and the next message is read. The library never sends one.
server.stdin.write('Content-Length: 5\r\n\r\n{oops');

assert.equal(await connection.sendRequest(rpc.ShutdownRequest.type), null);
await assert.rejects(connection.sendRequest('textDocument/hover', {}), refused(rpc.ErrorCodes.InvalidRequest));
await connection.sendNotification(rpc.ExitNotification.type);
assert.deepEqual(await exited, [0, null]);
assert.equal(complaints.length, 1, complaints.join('\n'));
assert.match(complaints[0], /response message without id[^]*-32700/);
process.exit(0);
