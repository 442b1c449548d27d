// The tests of the page in a browser: `node tests.mjs PAGE-FOLDER TAUTLINE-PROGRAM REPOSITORY`.
//
// They compare the page with the program: each report that the page offers for download must equal the report of
// `tautline audit`, byte for byte. Requests, violations of the policy and console messages are errors. The step
// `page-browser` runs the tests where playwright-core is installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

import { FILES, address, again, audit, close, downloads, finish, memory, open, report, served, start, stop } from './browser.mjs';
import { access } from './access.mjs';
import { box } from './box.mjs';
import { hostile, large, largeArchive, sides } from './logs.mjs';
import { views } from './views.mjs';

const [folder, program, repository] = process.argv.slice(2).map((path) => resolve(path));
const scratch = mkdtempSync(join(tmpdir(), 'tautline-page-'));
const shots = join(import.meta.dirname, 'screenshots');
mkdirSync(shots, { recursive: true });
const FORMATS = ['json', 'sarif', 'junit', 'html'];
/** The maximum time for which the page may be unresponsive, in milliseconds. */
const LONG_TASK = 100;

/** Returns the reports of the program on the same files, or its error message if it fails. */
function expected(files, { rules = 'auto', source = '' } = {}) {
  const names = files.map((file) => basename(file));
  const inputs = names.length === 1 ? names : ['--client', names[0], '--server', names[1]];
  const outputs = FORMATS.flatMap((format) => ['--output', `${format}=${join(scratch, `expected.${format}`)}`]);
  const args = ['audit', ...inputs, '--rules', rules, ...(source ? ['--source', source] : []), ...outputs];
  const { status, stderr } = spawnSync(program, args, { cwd: dirname(files[0]), encoding: 'utf8', maxBuffer: 1e9 });
  if (status === 2) return { failure: stderr };
  return Object.fromEntries(FORMATS.map((format) => [format, readFileSync(join(scratch, `expected.${format}`))]));
}

/** Audits files on the page and with the program. Returns the number of bytes compared. */
async function compare(page, files, options) {
  const wanted = expected(files, options);
  const error = await audit(page, files, options);
  assert.equal(error !== null, wanted.failure !== undefined, `${files}: ${error} ${wanted.failure}`);
  if (error) {
    assert(!/--|`/.test(error), error);
    return 0;
  }
  const reports = await downloads(page);
  for (const format of FORMATS) assert(reports[format].equals(wanted[format]), `${files}: ${format} differs`);
  return FORMATS.reduce((sum, format) => sum + reports[format].length, 0);
}

function save(name, content) {
  const file = join(scratch, name);
  writeFileSync(file, content);
  return file;
}

const example = join(repository, 'examples/weather.recording');

/* ------------------------------------------------------------------ The tests */

const tests = {
  async 'the reports are those of the program, of every format'() {
    const sources = join(repository, 'audit/tests/sources');
    const recordings = join(repository, 'audit/tests/recordings');
    const files = [example, ...readdirSync(recordings).map((name) => join(recordings, name))];
    for (const kind of readdirSync(sources)) {
      files.push(...readdirSync(join(sources, kind)).filter((name) => !name.endsWith('.expected')).map((name) => join(sources, kind, name)));
    }
    const page = await open();
    let bytes = 0;
    for (const file of files) bytes += await compare(page, [file]);
    await close(page);
    return `${files.length} files, ${bytes} bytes`;
  },

  async 'two files, and the rules that were chosen'() {
    const [client, server] = sides();
    const files = [save('sent.ndjson', client), save('received.ndjson', server)];
    const page = await open();
    const bytes = await compare(page, files);
    for (const rules of await page.$$eval('#rules option', (options) => options.map((option) => option.value))) {
      await compare(page, [example], { rules });
    }
    await compare(page, [example], { source: 'recording' });
    await compare(page, [example], { source: 'har' });
    await close(page);
    return `${bytes} bytes`;
  },

  async 'what is dropped and pasted counts, and what is missing is said'() {
    const page = await open();
    const drop = (files) => page.evaluate((files) => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, files);
    const [client, server] = sides().map(String);
    await drop([['server.log', server], ['client.log', client]]);
    assert.match(await page.textContent('#one-chosen'), /client\.log/);
    await page.click('#swap');
    assert.match(await page.textContent('#one-chosen'), /server\.log/);
    await page.click('#swap');
    await page.click('#start');
    assert.equal(await finish(page), null);
    await again(page);
    await page.click('[data-clear=two]');
    await page.click('#start');
    assert.match(await finish(page), /Both sides are needed/);
    await page.click('#other');
    await page.click('[data-clear=one]');
    await page.click('#start');
    assert.match(await finish(page), /Paste a message or a log, or open a file/);
    const paste = (place, text) => page.evaluate(([place, text]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      document.querySelector(place).dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, [place, text]);
    const text = readFileSync(example, 'utf8');
    // A short text goes into the box, and a long text becomes a file, wherever it is pasted.
    for (const [place, pasted] of [['body', text], ['#one-text', text + '\n'.repeat(1e6)]]) {
      await paste(place, pasted);
      await page.click('#start');
      assert.equal(await finish(page), null);
      assert.equal(await page.textContent('#result-name'), 'pasted text');
      await again(page);
    }
    await drop([['a', 'a'], ['b', 'b'], ['c', 'c']]);
    assert.match(await page.textContent('#notice'), /two files/);
    await close(page);
  },

  async 'a file that is gone is named'() {
    const page = await open();
    const file = save('gone.recording', readFileSync(example));
    await page.setInputFiles('#one-file', file);
    rmSync(file);
    await page.click('#start');
    assert.match(await finish(page), /^gone\.recording: the browser can't read the file/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'notice');
    await compare(page, [example]);
    await close(page);
  },

  async 'hostile logs are shown as text, and nothing runs'() {
    const page = await open();
    let bytes = 0;
    for (const [name, content] of hostile()) {
      const file = save(name, content);
      bytes += await compare(page, [file]);
      const frame = await report(page);
      await frame.click('#frames-scroll');
      for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowDown');
      await page.screenshot({ path: join(shots, `hostile-${name.replace(/\W+/g, '-')}.png`) });
      for (const tab of await frame.$$('[role=tab]')) if (await tab.isVisible()) await tab.click();
      for (const each of page.frames()) assert.equal(await each.evaluate(() => window.hacked), undefined);
    }
    const [, content] = hostile()[0];
    const [client, server] = sides();
    await compare(page, [save('a.ndjson', Buffer.concat([client, content])), save('b.ndjson', Buffer.concat([server, content]))]);
    await close(page);
    return `${bytes} bytes`;
  },

  async 'no connection can be made, by anyone'() {
    const page = await open();
    const attempt = (url) => fetch(url).then(() => 'sent', (error) => error.name);
    await page.click('[data-sample=weather]');
    await finish(page);
    const frame = await report(page);
    assert.equal(await frame.evaluate(() => origin), 'null');
    assert.equal(page.workers().length, 1);
    for (const realm of [page, frame, ...page.workers()]) {
      for (const url of ['http://127.0.0.1:1/?secret', `${address}?secret`]) {
        assert.equal(await realm.evaluate(attempt, url), 'TypeError');
      }
    }
    for (const realm of [page, frame]) {
      for (const [name, member] of [['link', 'href'], ['img', 'src'], ['iframe', 'src']]) {
        await realm.evaluate(([name, member, url]) => {
          document.body.append(Object.assign(document.createElement(name), { rel: 'stylesheet', [member]: url }));
        }, [name, member, `${address}?secret`]);
      }
    }
    await page.waitForTimeout(500);
    const refusals = page.said.filter((text) => /violat/.test(text));
    assert(refusals.length >= 12, page.said.join('\n'));
    assert.equal(served.length, FILES, served.join(' '));
    await page.context().close();
  },

  async 'it works without a network, once it is loaded'() {
    const page = await open();
    await page.context().setOffline(true);
    await page.click('[data-sample=weather]');
    assert.equal(await finish(page), null);
    await page.click('#again');
    await compare(page, [example]);
    await close(page);
  },

  async 'it works with the keyboard alone'() {
    const page = await open();
    const press = async (key, wanted) => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press(key);
        const at = await page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
        const outline = await page.evaluate(() => {
          const at = document.activeElement;
          return at.tagName === 'IFRAME' || [at, at.parentElement].some((element) => getComputedStyle(element).outlineStyle !== 'none');
        });
        assert(outline, `the focus is invisible on ${at}`);
        if (at === wanted) return;
      }
      assert.fail(`the focus does not come to ${wanted}`);
    };
    await press('Tab', 'one-text');
    await page.keyboard.insertText(readFileSync(example, 'utf8'));
    await press('Tab', 'one-file');
    await press('Tab', 'SUMMARY');
    await page.keyboard.press('Enter');
    await press('Tab', 'rules');
    await press('Shift+Tab', 'start');
    await page.keyboard.press('Enter');
    assert.equal(await finish(page), null);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'result-name');
    assert.match(await page.textContent('#announce'), /report is ready/);
    await press('Tab', 'again');
    await press('Tab', 'IFRAME');
    const frame = await report(page);
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      if (await frame.evaluate(() => document.activeElement.id) === 'frames-scroll') break;
    }
    await page.keyboard.press('Home');
    assert.match(await frame.textContent('#detail'), /initialize/);
    await close(page);
  },

  async 'it fits a phone, in the light and in the dark'() {
    const viewports = { small: { width: 360, height: 740 }, phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } };
    for (const colorScheme of ['light', 'dark']) {
      for (const [device, viewport] of Object.entries(viewports)) {
        const page = await open({ colorScheme, viewport, hasTouch: device !== 'desk' });
        const fits = async (frame) => {
          const width = await frame.evaluate(() => document.documentElement.scrollWidth);
          assert.equal(width, viewport.width, `${device}: ${frame.url()}`);
        };
        const shoot = (name) => page.screenshot({ path: join(shots, `${device}-${colorScheme}-${name}.png`), fullPage: true });
        await fits(page);
        await shoot('form');
        await page.click('#other');
        await page.click('#start');
        await fits(page);
        await shoot('two');
        await page.click('[data-sample=weather]');
        await finish(page);
        for (const frame of page.frames()) await fits(frame);
        await shoot('report');
        await close(page);
      }
    }
  },

  async 'large logs show their progress, and can be cancelled'() {
    const figures = [];
    for (const [name, make, megabytes] of [['50.recording', large, 50], ['200.recording', large, 200], ['200.har', largeArchive, 200]]) {
      const file = join(scratch, name);
      await make(file, megabytes);
      const page = await open();
      await page.evaluate(() => {
        window.told = new Set();
        const progress = document.getElementById('progress-text');
        new MutationObserver(() => told.add(progress.textContent)).observe(progress, { childList: true });
      });
      const before = memory();
      let most = before;
      const watch = setInterval(() => { most = Math.max(most, memory()); }, 200);
      const began = performance.now();
      assert.equal(await audit(page, [file]), null);
      const seconds = (performance.now() - began) / 1000;
      clearInterval(watch);
      await page.waitForTimeout(1000);
      const told = await page.evaluate(() => told.size);
      assert(told >= 5, `${told} texts`);
      const longest = await Promise.all(page.frames().map((frame) => frame.evaluate(() => Math.max(0, ...tasks))));
      assert(longest[0] <= LONG_TASK, `a task took ${longest[0]} ms`);
      figures.push(`${name}: ${seconds.toFixed(1)} s, ${told} texts, ${most - before} MB more than ${before}, `
        + `longest task ${longest[0]} ms, ${longest[1]} ms in the report`);
      if (megabytes === 50) await compare(page, [file]);
      await again(page);
      await page.setInputFiles('#one-file', file);
      await page.click('#start');
      await page.waitForFunction(() => document.getElementById('meter').value > 0.1);
      await page.screenshot({ path: join(shots, `progress-${name}.png`) });
      await page.keyboard.press('Escape');
      assert(await page.isVisible('#form'));
      await page.click('[data-sample=weather]:enabled');
      assert.equal(await finish(page), null);
      await close(page);
      rmSync(file);
    }
    return figures.join('; ');
  },
};

await start(folder);
const context = { repository, program, save, shots };
for (const [name, test] of Object.entries({ ...box, ...views, ...access })) tests[name] = () => test(context);
const only = process.env.ONLY;
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  try {
    const figures = await test();
    console.log(`ok      ${name}${figures ? `: ${figures}` : ''}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
console.log(`screenshots: ${shots}`);
await stop();
rmSync(scratch, { recursive: true });
process.exitCode = failed ? 1 : 0;
