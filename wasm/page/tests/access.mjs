// Tests by axe-core, and of what a pointer, a keyboard or a screen reader meets.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { close, finish, open, report, verdict } from './browser.mjs';

const AXE = readFileSync(join(import.meta.dirname, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Returns the complaints of axe-core about a frame of the page, and adds to the number of passed checks. */
async function complaints(frame, where, passed) {
  await frame.evaluate(AXE);
  const { violations, passes } = await frame.evaluate(() => axe.run(document, { iframes: false }));
  passed.count += passes.length;
  return violations.map(({ id, impact, nodes }) => `${where}: ${id} (${impact}): ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

export const access = {
  async 'axe-core has no complaint, in both themes and all widths'({ shots }) {
    const passed = { count: 0 };
    const all = [];
    for (const colorScheme of ['light', 'dark']) {
      for (const [width, height] of [[1280, 900], [390, 844], [360, 740]]) {
        const page = await open({ colorScheme, viewport: { width, height }, hasTouch: width < 1000 });
        const look = async (name, frame = page.mainFrame()) => {
          await page.screenshot({ path: join(shots, `${width}-${colorScheme}-${name}.png`) });
          all.push(...await complaints(frame, `${width} ${colorScheme} ${name}`, passed));
        };
        const fits = async (frame, name) => assert.equal(await frame.evaluate(() => document.documentElement.scrollWidth), width, `${width} ${name}`);
        await look('form');
        await page.fill('#one-text', '{"jsonrpc":"2.0","id":{},"method":"ping"}\n{"jsonrpc":"2.0","id":1.0,"method":"ping"}');
        await verdict(page);
        await page.click('summary');
        await look('live');
        await fits(page, 'live');
        await page.click('#other');
        await page.click('#start');
        await look('two');
        for (const view of ['rules', 'rule-error-without-cause', 'rule-no-such-rule']) {
          await page.evaluate((view) => { location.hash = view; }, view);
          await page.waitForSelector('#explain:not([hidden])');
          await page.waitForFunction((view) => document.title.startsWith(view === 'rule-error-without-cause' ? 'error-' : 'Rules'), view);
          await look(view);
          await fits(page, view);
        }
        await page.click('#home');
        for (const sample of ['weather', 'id', 'har']) {
          await page.click(`[data-sample=${sample}]`);
          assert.equal(await finish(page), null);
          await look(`${sample}-result`);
          const frame = await report(page);
          for (const tab of await frame.$$('[role=tab]')) {
            if (!await tab.isVisible()) continue;
            await tab.click();
            const name = `${sample}-${await tab.getAttribute('id')}`;
            await look(name, frame);
            await fits(frame, name);
          }
          await frame.click('#tab-timeline');
          await frame.click('.row.frame');
          await look(`${sample}-detail`, frame);
          await page.click('#again');
        }
        assert.deepEqual(page.said, []);
        await page.context().close();
      }
    }
    assert.deepEqual([...new Set(all)], []);
    return `${passed.count} checks`;
  },

  async 'method names are whole at every width, and chips explain themselves'() {
    for (const width of [1280, 1440, 390, 360]) {
      const page = await open({ viewport: { width, height: 900 } });
      await page.click('[data-sample=weather]');
      assert.equal(await finish(page), null);
      const frame = await report(page);
      const cut = await frame.$$eval('.row.frame .method:not(.excerpt)', (names) => names.filter((name) => name.scrollWidth > name.clientWidth + 1 || name.offsetWidth < name.scrollWidth).map((name) => name.textContent));
      assert.deepEqual(cut, [], `${width}`);
      const silent = await frame.$$eval('.count, .pill, .kind, .mark-count', (chips) => chips.filter((chip) => !chip.title).map((chip) => chip.outerHTML));
      assert.deepEqual(silent, []);
      await frame.click('#tab-requirements');
      const verdicts = await frame.$$eval('.requirement .verdict-word', (words) => [...new Set(words.map((word) => word.textContent))]);
      assert.deepEqual(verdicts, ['Failed']);
      await close(page);
    }
  },

  async 'the rows of a report are named by what they show'() {
    const page = await open();
    await page.click('[data-sample=weather]');
    await finish(page);
    const frame = await report(page);
    const row = frame.getByRole('option', { name: /Frame\s*4.*invalid.*from server.*1 error/s });
    assert.equal(await row.count(), 1);
    for (const handle of await frame.$$('[role=separator]')) {
      const [least, now, most] = await Promise.all(['min', 'now', 'max'].map(async (name) => Number(await handle.getAttribute(`aria-value${name}`))));
      assert(least <= now && now <= most && now > 0, `${least} ${now} ${most}`);
    }
    await close(page);
  },
};
