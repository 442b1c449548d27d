// Tests of addresses, samples and rules: what the page shows has an address, and Back goes back.

import assert from 'node:assert/strict';

import { address, close, downloads, finish, open, report, verdict } from './browser.mjs';

const BAD = '{"jsonrpc":"2.0","id":null,"method":"ping","params":{"note":"Zürich – ☃"}}\n{"jsonrpc":"2.0","id":2,"method":7}';
const fragment = (page) => new URL(page.url()).hash;
const selected = (frame) => frame.$eval('.row.frame.selected', (row) => Number(row.dataset.frame));
const waitForFrame = (frame, number) => frame.waitForFunction((number) => document.querySelector('.row.frame.selected')?.dataset.frame === String(number), number);

export const views = {
  async 'the samples lead to reports that have addresses'() {
    for (const [sample, rule] of [['id', 'id-type'], ['key', 'duplicate-member'], ['weather', 'error-without-cause'], ['har', '']]) {
      const page = await open();
      await page.click(`[data-sample=${sample}]`);
      assert.equal(await finish(page), null);
      const { json } = await downloads(page);
      const first = JSON.parse(json);
      assert(first.findings.length > 0, sample);
      assert(!rule || first.findings.some((finding) => finding.rule === rule), sample);
      // The first finding is selected.
      const frame = await report(page);
      assert.equal(await frame.$$eval('.finding.selected', (rows) => rows.length), 1);
      assert.equal(await frame.$$eval('.card.selected', (cards) => cards.length), 1);
      const link = fragment(page);
      assert.match(link, /^#(text|sample)=/);
      await close(page);
      const other = await open({}, link);
      assert.equal(await finish(other), null);
      assert.equal(String((await downloads(other)).json), String(json));
      await other.goBack().catch(() => {});
      assert.deepEqual(other.said, []);
      await other.context().close();
    }
  },

  async 'a link to a frame of a pasted text opens it, with its rules'() {
    const page = await open();
    await page.fill('#one-text', BAD);
    await page.click('summary');
    await page.selectOption('#rules', '2025-03-26');
    await page.click('#start');
    assert.equal(await finish(page), null);
    const frame = await report(page);
    await frame.click('#row-2');
    await waitForFrame(frame, 2);
    await page.waitForFunction(() => /&frame-2$/.test(location.hash));
    const link = fragment(page);
    assert.match(link, /^#text=[\w-]+&rules=2025-03-26&frame-2$/);
    assert(!page.asked.some((url) => url.includes('#')), 'the fragment was sent');
    await close(page);
    const other = await open({}, link);
    assert.equal(await finish(other), null);
    await waitForFrame(await report(other), 2);
    assert.equal(await other.inputValue('#rules'), '2025-03-26');
    assert.equal(await other.inputValue('#one-text'), BAD);
    await close(other);
  },

  async 'Back and Forward go through the form, the report, its frames and the rules'() {
    const page = await open();
    await page.click('[data-sample=weather]');
    assert.equal(await finish(page), null);
    const frame = await report(page);
    assert.equal(fragment(page), '#sample=weather');
    await frame.click('#row-8');
    await page.waitForFunction(() => location.hash === '#sample=weather&frame-8');
    // A link in the report is a step of its own.
    await frame.click('.frame-facts a[href^="#frame-"]');
    await page.waitForFunction(() => location.hash === '#sample=weather&frame-7');
    await waitForFrame(frame, 7);
    await page.goBack();
    await waitForFrame(frame, 8);
    await page.goForward();
    await waitForFrame(frame, 7);
    await frame.click('.finding');
    await frame.click('.card-rule a');
    await page.waitForSelector('#explain:not([hidden])');
    const rule = fragment(page).replace('#rule-', '');
    assert.equal(await page.textContent('#explain-name'), rule);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'explain-name');
    assert.match(await page.title(), new RegExp(rule));
    await page.click('a[href="#rules"]');
    await page.waitForSelector('table.rules');
    await page.goBack();
    await page.waitForFunction((rule) => document.getElementById('explain-name').textContent === rule, rule);
    await page.goBack();
    await page.waitForSelector('#result:not([hidden])');
    assert.equal(await selected(frame), 4);
    // An address that is typed.
    await page.evaluate(() => { location.hash = 'frame-12'; });
    await waitForFrame(frame, 12);
    await page.click('#again');
    assert(await page.isVisible('#form'));
    assert.equal(fragment(page), '');
    await page.goBack();
    await page.waitForSelector('#result:not([hidden])');
    for (let steps = 0; steps < 5 && !await page.isVisible('#form'); steps += 1) await page.goBack();
    assert(await page.isVisible('#form'));
    await page.goForward();
    await page.waitForSelector('#result:not([hidden])');
    // Two reports, one after the other.
    await page.click('#again');
    await page.fill('#one-text', BAD);
    await page.click('#start');
    assert.equal(await finish(page), null);
    assert.equal(await page.textContent('#result-name'), 'pasted text');
    await page.goBack();
    assert.equal(await page.inputValue('#one-text'), BAD);
    await page.goBack();
    await page.waitForFunction(() => document.getElementById('result-name').textContent === 'weather.recording');
    assert.equal(await finish(page), null);
    await close(page);
  },

  async 'a short file has no address, and a wrong address is explained'({ save }) {
    const page = await open();
    await page.setInputFiles('#one-file', save('secret.ndjson', BAD));
    assert.match(await verdict(page), /2 errors/);
    await page.click('#start');
    assert.equal(await finish(page), null);
    assert(!/text=/.test(fragment(page)), fragment(page));
    await close(page);
    for (const wrong of ['#text=AAAA', '#frame-3', '#sample=nothing&frame-1', '#text=!!', '#nonsense']) {
      const other = await open({}, wrong);
      assert.match(await finish(other), /names a report that is not here/, wrong);
      await close(other);
    }
  },

  async 'each rule has a page of its own, with an example that breaks it'() {
    const page = await open({}, '#rules');
    await page.waitForSelector('table.rules');
    const names = await page.$$eval('table.rules tbody th', (cells) => cells.map((cell) => cell.textContent));
    assert(names.length > 200);
    await page.fill('#explain-search', 'null id');
    const found = await page.$$eval('table.rules tbody th', (cells) => cells.map((cell) => cell.textContent));
    assert(found.includes('id-null') && found.length < 30, found.join());
    await page.click('a[href="#rule-id-null"]');
    for (const name of names.filter((_, index) => index % 12 === 0).concat('id-null')) {
      await page.evaluate((name) => { location.hash = `rule-${name}`; }, name);
      await page.waitForFunction((name) => document.getElementById('explain-name').textContent === name, name);
      const facts = await page.$$eval('#explain-body dd', (values) => values.map((value) => value.textContent));
      assert(facts.length === 3 && facts.every(Boolean), name);
      if (!await page.isVisible('#explain-example')) continue;
      await page.click('#explain-example');
      assert.equal(await finish(page), null);
      assert.match(fragment(page), new RegExp(`^#example=${name}`));
      assert(JSON.parse((await downloads(page)).json).findings.some(({ rule }) => rule === name), name);
      await page.goBack();
    }
    await page.evaluate(() => { location.hash = 'rule-no-such-rule'; });
    await page.waitForSelector('table.rules');
    assert.match(await page.textContent('#explain-body .notice'), /no-such-rule/);
    await close(page);
    const other = await open({}, '#example=id-null');
    assert.equal(await finish(other), null);
    await close(other);
    return `${names.length} rules`;
  },

  async 'the report asks its page for addresses alone'() {
    const page = await open();
    await page.click('[data-sample=weather]');
    await finish(page);
    const frame = await report(page);
    const before = page.url();
    for (const message of [{ follow: 'https://example.com' }, { follow: 'text=AAAA' }, { address: '<b>' }, { follow: 'frame-1&text=x' }, { follow: 7 }, null]) {
      await frame.evaluate((report) => window.parent.postMessage({ report }, '*'), message);
    }
    await page.waitForTimeout(200);
    assert.equal(page.url(), before);
    assert(page.url().startsWith(address));
    // Another window has no say.
    await page.evaluate(() => window.postMessage({ report: { follow: 'rule-id-null' } }, '*'));
    await page.waitForTimeout(100);
    assert.equal(page.url(), before);
    await close(page);
  },
};
