// The browser of the tests, the host that serves the page, and the actions of a user.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { chromium } from 'playwright-core';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

let browser;
let host;
/** The URL at which the host serves the page. */
export let address;
/** The requests to the host since a page was opened. */
export let served = [];

/** Serves the files of a folder as a minimal host would: without headers, and without a type for modules. */
export async function start(folder) {
  host = createServer((request, answer) => {
    served.push(request.url);
    const name = request.url === '/some/folder/' ? 'index.html' : basename(request.url);
    try {
      const body = readFileSync(join(folder, name));
      answer.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((done) => host.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${host.address().port}/some/folder/`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

export async function stop() {
  await browser.close();
  host.close();
}

/** Returns the memory of the browser's processes in MB. They are all descendants of this process. */
export function memory() {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  const rows = table.trim().split('\n').map((row) => row.trim().split(/\s+/).map(Number));
  const family = new Set([process.pid]);
  let sum = 0;
  for (let grows = true; grows;) {
    grows = false;
    for (const [pid, parent] of rows) if (family.has(parent) && !family.has(pid)) grows = Boolean(family.add(pid));
  }
  for (const [pid, , rss] of rows) if (family.has(pid) && pid !== process.pid) sum += rss;
  return Math.round(sum / 1024);
}

/** The files of the page. */
export const FILES = 10;

/** Opens the page at a fragment, and records its messages and requests. */
export async function open(options = {}, fragment = '') {
  served = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.said = [];
  page.asked = [];
  page.on('console', (message) => page.said.push(message.text()));
  page.on('pageerror', (error) => page.said.push(error.message));
  page.on('dialog', (dialog) => { page.said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  context.on('page', () => page.said.push('another page'));
  context.on('request', (request) => { if (!request.url().startsWith('blob:')) page.asked.push(request.url()); });
  await context.addInitScript(() => {
    window.tasks = [];
    const note = (list) => tasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)));
    new PerformanceObserver(note).observe({ type: 'longtask', buffered: true });
    addEventListener('securitypolicyviolation', (event) => console.error(`violation: ${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(address + fragment);
  await page.waitForSelector('#start:enabled', { state: 'attached' });
  return page;
}

/** Closes a page, which must not have logged anything. */
export async function close(page) {
  assert.deepEqual(page.said, []);
  assert.equal(page.asked.length, FILES, page.asked.join(' '));
  assert.equal(served.length, FILES, served.join(' '));
  await page.context().close();
}

/** Waits for the report or an error message. */
export async function finish(page) {
  await page.waitForSelector('#result:not([hidden]) iframe, #form:not([hidden]) #notice:not([hidden])', { timeout: 600_000 });
  if (await page.isVisible('#notice')) return page.textContent('#notice');
  await report(page);
  return null;
}

/** Returns the frame of the report, when it is ready. */
export async function report(page) {
  const frame = await (await page.$('#report iframe')).contentFrame();
  await frame.waitForFunction(() => document.getElementById('match-count')?.textContent);
  return frame;
}

/** Returns the verdict on what is in the box, when it is there. */
export async function verdict(page) {
  await page.waitForSelector('#live:not([hidden])');
  return page.innerText('#live');
}

/** Returns from a report to the form, if there is one. */
export async function again(page) {
  if (await page.isVisible('#again')) await page.click('#again');
}

export async function audit(page, files, { rules = 'auto', source = '' } = {}) {
  await again(page);
  const slots = files.length === 1 ? ['one'] : ['one', 'two'];
  if ((await page.getAttribute('#other', 'aria-expanded') === 'true') !== (files.length === 2)) await page.click('#other');
  for (const [index, slot] of slots.entries()) await page.setInputFiles(`#${slot}-file`, files[index]);
  await page.evaluate(() => { document.getElementById('options').open = true; });
  await page.selectOption('#rules', rules);
  if (files.length === 1) await page.selectOption('#source', source);
  await page.click('#start');
  return finish(page);
}

/** Returns the reports that the page offers, by format. */
export async function downloads(page) {
  const reports = {};
  for (const [index, format] of ['html', 'sarif', 'junit', 'json'].entries()) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#downloads a >> nth=${index}`)]);
    reports[format] = readFileSync(await download.path());
  }
  return reports;
}
