// The logs that the tests of the page create: two sides of a session, hostile logs, and large logs.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const HEADER = '{"tautline-recording":1,"framing":"ndjson","started":"2026-11-23T10:00:00Z"}\n';

const message = (members) => JSON.stringify({ jsonrpc: '2.0', ...members });

const OPENING = [
  ['client', message({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'desk', version: '1' } } })],
  ['server', message({ id: 0, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } } })],
  ['client', message({ method: 'notifications/initialized' })],
];

const call = (id, place) => message({ id, method: 'tools/call', params: { name: 'forecast', arguments: { place } } });
const rain = (id, text) => message({ id, result: { content: [{ type: 'text', text }] } });

/** Returns the bytes of the client and of the server, with a fault on either side. */
export function sides() {
  const rows = [
    ...OPENING,
    ['client', call(1, 'Zürich')],
    ['server', rain(1, 'Rain in Zürich')],
    ['client', '{"jsonrpc":"2.0","id":2,"method":7}'],
    ['server', 'listening on port 3000'],
  ];
  const of = (side) => Buffer.from(rows.filter(([from]) => from === side).map(([, text]) => `${text}\n`).join(''));
  return [of('client'), of('server')];
}

const MARKUP = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1"><svg onload=window.hacked=1><!--<script>';
// Characters that reverse, join, hide and break text, and a lone surrogate.
const MARKS = '\u202Eexe.txt\u2066\u200B\u2028\u0000\u001B[31m\uFEFF\uD800\u{E0041}';

/** Returns recordings by name. None of them may have any effect on the page. */
export function hostile() {
  const record = (from, text, us) => {
    const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
    return `${JSON.stringify({ us, from, base64: Buffer.concat([bytes, Buffer.from('\n')]).toString('base64') })}\n`;
  };
  const log = (rows) => Buffer.from(HEADER + rows.map(([from, text], index) => record(from, text, index * 1000)).join(''));
  const texts = (text) => log([
    ...OPENING,
    ['client', call(1, text)],
    ['server', rain(1, text)],
    ['client', message({ id: text, method: text, params: { [text]: text } })],
    ['server', message({ id: text, error: { code: 404, message: text, data: text } })],
    ['server', text],
    ['stderr', text],
    ['client', `{"jsonrpc":"2.0","id":"${text}`],
  ]);
  const long = 'x'.repeat(4 * 1024 * 1024);
  return [
    ['<img src=x onerror=alert(1)>.recording', texts(MARKUP)],
    ['marks.recording', texts(MARKS)],
    ['bytes.recording', log([
      ...OPENING,
      ['server', Buffer.from([0xFF, 0xFE, 0x80, 0xC0, 0xAF, 0xED, 0xA0, 0x80, 0xF5])],
      ['server', Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"'), Buffer.from([0xC3, 0x28]), Buffer.from('"}')])],
    ])],
    ['long.recording', log([
      ...OPENING,
      ['client', call(1, `${long.slice(200)}<b>`)],
      ['server', rain(1, long)],
      ['server', '['.repeat(1 << 20)],
      ['server', rain(1, long.repeat(4))],
      ['client', message({ id: 2, method: 'ping' })],
      ['server', message({ id: 2, result: {} })],
    ])],
  ];
}

/** Writes texts to a file until it has this many megabytes. */
async function fill(file, megabytes, first, next, last) {
  const out = createWriteStream(file);
  out.write(first);
  for (let size = 0; size < megabytes * 1e6;) {
    const text = next();
    size += Buffer.byteLength(text);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end(last);
  await once(out, 'close');
}

/** Yields the bytes of many calls and their answers, in turn. Every fiftieth call has a finding. */
function* calls() {
  for (let id = 1; ; id += 1) {
    const isBroken = id % 50 === 0;
    const text = 'Rain in Zürich '.repeat(1 + (id % 20));
    yield [call(id, `Zürich ${id}`), isBroken ? message({ id, error: { code: 404, message: 'no' } }) : rain(id, text)];
  }
}

/** Writes a recording of at least this many megabytes. */
export function large(file, megabytes) {
  let us = 0;
  const record = ([from, text]) => {
    us += 137;
    return `${JSON.stringify({ us, from, text: `${text}\n` })}\n`;
  };
  const pairs = calls();
  const next = () => Array.from({ length: 500 }, () => {
    const [call, answer] = pairs.next().value;
    return record(['client', call]) + record(['server', answer]);
  }).join('');
  return fill(file, megabytes, HEADER + OPENING.map(record).join(''), next, '');
}

/** Writes a HAR, which is one JSON document, of at least this many megabytes. */
export function largeArchive(file, megabytes) {
  let at = Date.parse('2026-11-23T10:00:00Z');
  const type = 'application/json';
  const entry = ([asked, answered]) => {
    at += 2;
    return JSON.stringify({
      startedDateTime: new Date(at).toISOString(),
      time: 1,
      request: { method: 'POST', url: 'http://localhost/mcp', headers: [], postData: { mimeType: type, text: asked } },
      response: { status: answered ? 200 : 202, headers: [], content: { mimeType: type, text: answered } },
    });
  };
  const [[, opened], [, accepted], [, initialized]] = OPENING;
  const first = `{"log":{"version":"1.2","entries":[${entry([opened, accepted])},${entry([initialized, ''])}`;
  const pairs = calls();
  const next = () => Array.from({ length: 500 }, () => `,${entry(pairs.next().value)}`).join('');
  return fill(file, megabytes, first, next, ']}}');
}
