// Tests of the box: whatever is put into it is judged, while it is typed and as a report.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { again, audit, close, downloads, finish, open, report, verdict } from './browser.mjs';
import { sides } from './logs.mjs';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Returns the findings of `tautline check` on a log, as far as they are in both documents. */
function checked(program, file, framing, rules) {
  const resync = ['content-length', 'concatenated'].includes(framing) ? ['--resync'] : [];
  const args = ['check', ...resync, '--format', 'json', '--framing', framing, '--rules', rules, file];
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1e9 });
  assert(stdout, stderr);
  return findings(JSON.parse(stdout));
}

const findings = (document) => document.findings.map(({ rule, severity, offset, column, message, path }) => ({ rule, severity, offset, column, message, path }));

export const box = {
  async 'a log of one direction is checked like on the command line'({ program, repository, save }) {
    const page = await open();
    const [client, server] = sides();
    const session = join(repository, 'examples/session.ndjson');
    const files = [[session, 'ndjson'], [save('client.ndjson', client), 'ndjson'], [save('server.ndjson', server), 'ndjson']];
    const header = (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    files.push([save('headers.log', header(PING) + header(PING.replace('1', 'null')) + header('nonsense')), 'content-length']);
    files.push([save('events.log', `data: ${PING}\n\ndata: {"jsonrpc":"2.0","method":3}\n\n`), 'sse']);
    files.push([save('printed.json', `${JSON.stringify(JSON.parse(PING), null, 2)}\n{\n"jsonrpc":"1.0"\n}\n`), 'concatenated']);
    let found = 0;
    for (const [file, framing] of files) {
      assert.equal(await audit(page, [file]), null, file);
      const { json, html, sarif, junit } = await downloads(page);
      const document = JSON.parse(json);
      assert.equal(document.sources[0].kind, framing);
      const expected = checked(program, file, framing, document.rules);
      assert.deepEqual(findings(document), expected, file);
      assert(html.length && sarif.length && junit.length);
      found += expected.length;
    }
    await close(page);
    assert(found > 60, `${found} findings`);
    return `${found} findings`;
  },

  async 'each direction of a session is judged alone, and both together'({ save }) {
    const page = await open();
    const [client, server] = sides();
    assert.equal(await audit(page, [save('client.ndjson', client)]), null);
    assert.match(await page.textContent('#result-text'), /^ndjson, 4 messages, rules of MCP 2025-11-25: 1 error\. The receiver owes the error -32600 with the id 2\.$/);
    const frame = await report(page);
    assert.deepEqual(await frame.$$eval('[role=tab]', (tabs) => tabs.filter((tab) => tab.offsetWidth).map((tab) => tab.id)), ['tab-timeline', 'tab-overview']);
    assert.equal(await audit(page, [save('client.ndjson', client), save('server.ndjson', server)]), null);
    assert.match(await page.textContent('#result-text'), /^ndjson, 7 messages: /);
    await close(page);
  },

  async 'the verdict comes while typing, with the reply that is owed'() {
    const page = await open();
    const type = async (text) => {
      await page.fill('#one-text', '');
      await page.waitForSelector('#live', { state: 'hidden' });
      await page.fill('#one-text', text);
      return verdict(page);
    };
    assert.match(await type(PING), /^1 message, under the rules of MCP 2025-11-25: nothing found\.\s+The receiver owes no error reply\.$/);
    const broken = await type(PING.replace('1', 'null'));
    assert.match(broken, /1 error\.\s+id-null .*\(byte 23\)\s+The receiver owes the error -32600 /s);
    assert.match(await type(`[${PING},${PING.replace('"ping"', '7')}]`), /2 messages, in an array.*method-type .*\(message 2, byte 34\).*owes the error -32600 with the id 1\b/s);
    assert.match(await type(JSON.stringify(JSON.parse(PING), null, 2)), /^1 message, one value after another, .*nothing found/);
    assert.match(await type(PING.slice(0, 20)), /1 error/);
    assert.match(await type('Dear reader'), /no known format/);
    const [client] = sides();
    assert.match(await type(String(client)), /4 messages, one a line.*1 error/s);
    // The rules that are chosen apply at once.
    await type(PING.replace('ping', 'eth_call'));
    await page.click('summary');
    await page.selectOption('#rules', '2025-11-25');
    await page.waitForFunction(() => /unknown-method/.test(document.getElementById('live').innerText));
    await page.selectOption('#rules', 'jsonrpc');
    await page.waitForFunction(() => /nothing found/.test(document.getElementById('live').innerText));
    // The last input counts, however fast it changes.
    for (let length = 1; length <= PING.length; length += 1) await page.fill('#one-text', PING.slice(0, length));
    await page.waitForFunction(() => /nothing found/.test(document.getElementById('live').innerText));
    await page.keyboard.press('Control+Enter');
    assert.equal(await finish(page), null);
    await close(page);
  },

  async 'what is readable of a broken recording is reported, with the place'({ repository, save }) {
    const page = await open();
    const lines = readFileSync(join(repository, 'examples/weather.recording'), 'utf8').split('\n');
    const broken = lines.with(6, lines[6].slice(0, 30));
    const offset = Buffer.byteLength(`${lines.slice(0, 6).join('\n')}\n`);
    assert.equal(await audit(page, [save('broken.recording', broken.join('\n'))]), null);
    const place = new RegExp(`Line 7: .*byte ${offset} of the file`);
    assert.match(await page.textContent('#result-notice'), place);
    assert.match(await (await report(page)).textContent('#notices'), new RegExp(`broken.*byte ${offset} of the file`));
    // Cut anywhere.
    const har = readFileSync(join(repository, 'audit/tests/sources/har/playwright-everything.har'));
    const whole = readFileSync(join(repository, 'examples/weather.recording'));
    for (const [name, bytes, share] of [['cut.har', har, 0.7], ['cut.har', har, 0.95], ['cut.recording', whole, 0.4], ['cut.recording', whole, 0.8]]) {
      assert.equal(await audit(page, [save(name, bytes.subarray(0, Math.floor(bytes.length * share)))]), null, `${name} ${share}`);
      const { json } = await downloads(page);
      const document = JSON.parse(json);
      assert(document.totals.frames >= 3, `${document.totals.frames}`);
      assert(document.notes.some((note) => /byte \d+ of the file/.test(note)), document.notes.join('; '));
      assert(!document.findings.some(({ rule }) => rule === 'unfinished-frame'));
    }
    await again(page);
    await close(page);
  },
};
