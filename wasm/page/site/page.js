// The page: it accepts messages and files, lets a worker judge them, and shows the report in a separate frame.
//
// A report shows messages from programs that may be hostile. Its frame has no origin, may run only the script whose
// digest is in the policy of the page, and can make no requests. The page itself uses only numbers from a report, and
// the addresses that the report asks for, as far as they are well-formed. Everything else that it shows becomes text.

import { format, pack, parse, unpack, viewOf } from './address.js';
import { $, announce, count, element, sentence, size, visible } from './dom.js';
import { showRules } from './explain.js';

const form = $('form');

/** The names of the rules, formats and framings, for people. */
const RULES = { auto: 'Detect: what the messages show', jsonrpc: 'JSON-RPC 2.0', lsp: 'Language Server Protocol' };
const FRAMINGS = {
  ndjson: 'One message a line (ndjson)',
  'content-length': 'Content-Length headers, as in LSP (content-length)',
  sse: 'Server-sent events (sse)',
  concatenated: 'One JSON value after another (concatenated)',
};
/** What a log of one direction looks like. */
const LAYOUTS = { ndjson: 'one a line', 'content-length': 'with Content-Length headers', sse: 'as server-sent events', concatenated: 'one value after another', array: 'in an array' };
const DOWNLOADS = [
  ['html', 'HTML', 'html'],
  ['sarif', 'SARIF', 'sarif'],
  ['junit', 'JUnit', 'xml'],
  ['json', 'JSON', 'json'],
];
const DETECT = { rules: 'auto', source: '', framing: '' };
const CHOICES = Object.keys(DETECT);

/** The samples: a text, or a file that is loaded with the page. */
const SAMPLES = {
  id: { text: '{"jsonrpc":"2.0","id":{"call":7},"method":"tools/call","params":{"name":"forecast","arguments":{"place":"Zürich"}}}' },
  key: { text: '{"jsonrpc":"2.0","id":8,"method":"tools/list","method":"tools/call","params":{"name":"forecast","arguments":{"place":"Bern"}}}' },
  weather: {},
  har: {},
};

/** The length from which a pasted text becomes a file instead of the content of a field. */
const LONG_TEXT = 1_000_000;
/** The size up to which files and texts are judged before anyone asks, in bytes. */
const LIVE = 300_000;
/** The pause in typing after which the text is judged, in milliseconds. */
const PAUSE = 150;

/** The loaded files: the script of the worker, and the module. */
let loaded;
let worker;
/** True while the worker audits for a report. */
let isBusy = false;
/** The rules, once the worker has told them. */
let rules;
/** The files by slot: one, two. */
const chosen = new Map();
/** The requests by the key in the state of the history. */
const requests = new Map();
let lastKey = 0;
/** The report that is shown, or that can be shown again: its key, its frame, the members of its address, and its blobs. */
let current = null;
/** The request that the worker works on. */
let pending = null;

/* ------------------------------------------------------------------ Loading */

async function load() {
  const get = async (name) => {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  };
  const [script, module, weather, har] = await Promise.all([
    get('worker.js').then((answer) => answer.blob()),
    get('engine.wasm').then((answer) => answer.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes)),
    get('weather.recording').then((answer) => answer.blob()),
    get('session.har').then((answer) => answer.blob()),
  ]);
  lock();
  loaded = { script: scriptAddress(script), module };
  SAMPLES.weather.file = new File([weather], 'weather.recording');
  SAMPLES.har.file = new File([har], 'session.har');
  startWorker();
}

/**
 * Forbids all requests from now on, even to the host of the page. A policy can be made stricter, but never removed.
 */
function lock() {
  const first = document.querySelector('meta[http-equiv="Content-Security-Policy"]');
  const second = document.createElement('meta');
  second.httpEquiv = first.httpEquiv;
  second.content = first.content.replaceAll(" 'self'", '');
  document.head.append(second);
}

/** Returns the URL of the worker's script: a blob, because a worker from a file would have no policy. */
function scriptAddress(script) {
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  if (!window.trustedTypes) return address;
  const policy = trustedTypes.createPolicy('tautline-worker', { createScriptURL: (text) => (text === address ? text : '') });
  return policy.createScriptURL(address);
}

function startWorker() {
  worker?.terminate();
  const own = new Worker(loaded.script);
  worker = own;
  // Ignores messages of an earlier worker, which may arrive after it was terminated.
  const hearFrom = (data) => { if (worker === own) hear(data); };
  own.onmessage = ({ data }) => hearFrom(data);
  own.onerror = ({ message }) => hearFrom({ failure: message });
  own.postMessage({ module: loaded.module });
}

/* ------------------------------------------------------------------ What the worker says */

function hear(data) {
  if (data.choices) offer(data.choices);
  else if (data.rules) {
    rules = data.rules;
    for (const tell of waiting.splice(0)) tell(rules);
  }
  else if (data.live) showLive(data);
  else if (data.error) stop(data.error);
  else if (data.failure) {
    startWorker();
    if (isBusy) stop(`The audit has failed: ${data.failure}. The file may be too large for the memory that the browser gives to a page. The program “tautline audit” has no such limit.`);
  } else if (data.reports) show(data);
  else if (data.writing) tellProgress(1, 'Writing the reports');
  else tellRead(data.read, data.total);
}

function offer({ version, rules: names, sources, framings }) {
  for (const button of form.querySelectorAll('#start, [data-sample]')) button.disabled = false;
  if ($('rules').length) return; // another worker has told
  $('version').textContent = version;
  $('notice').hidden = true;
  fill('rules', names.map((name) => [name, rulesName(name)]));
  fill('source', [['', 'Detect'], ...sources.map(({ name, title }) => [name, `${name}: ${title}`])]);
  fill('framing', [['', 'Detect'], ...framings.map((name) => [name, FRAMINGS[name] ?? name])]);
  route();
}

function fill(id, options) {
  $(id).replaceChildren(...options.map(([value, text]) => new Option(text, value)));
}

/* ------------------------------------------------------------------ Choosing */

const isTwo = () => !form.querySelector('[data-slot=two]').hidden;
const slots = () => (isTwo() ? ['one', 'two'] : ['one']);

/** Shows one box for everything, or a box for each direction. */
function setTwo(on) {
  form.querySelector('[data-slot=two]').hidden = !on;
  $('swap').hidden = !on;
  $('one-help').hidden = on;
  $('other').setAttribute('aria-expanded', String(on));
  $('other').textContent = on ? 'Only one log' : 'Add the other direction';
  $('one-name').textContent = on ? 'What the client has sent' : 'Messages or a log';
  $('one-label').textContent = on ? 'The text of the client' : 'The text of the messages or the log';
  $('source').disabled = on;
  judge();
}

/** Sets the file of a slot, or removes it if the file is null. */
function choose(slot, file) {
  if (file) chosen.set(slot, file);
  else chosen.delete(slot);
  $(`${slot}-chosen`).textContent = file ? `${visible(file.name)}, ${size(file.size)}` : '';
  $(`${slot}-text`).disabled = Boolean(file);
  form.querySelector(`[data-clear=${slot}]`).hidden = !file;
  $('notice').hidden = true;
  judge();
}

/** Accepts files that were dropped, pasted or opened. */
function take(files, slot) {
  if (isBusy || document.body.dataset.state !== 'form' || !files.length) return;
  if (files.length > 2) return complain('Choose one file, or two files, one for each side.');
  if (files.length === 2) {
    const [first, second] = files;
    // This is only a guess, and the user can swap the two.
    const isSwapped = /server|received|stdout/i.test(first.name) || /client|sent|stdin/i.test(second.name);
    setTwo(true);
    choose('one', isSwapped ? second : first);
    choose('two', isSwapped ? first : second);
  } else {
    choose(slot ?? slots().find((name) => !chosen.has(name)) ?? slots()[0], files[0]);
  }
  announce(slots().map((name) => $(`${name}-chosen`).textContent).filter(Boolean).join('; '));
  $('start').focus();
}

function swap() {
  const texts = [$('one-text').value, $('two-text').value];
  const [one, two] = ['one', 'two'].map((slot) => chosen.get(slot));
  [$('two-text').value, $('one-text').value] = texts;
  choose('one', two);
  choose('two', one);
  announce('Swapped');
}

/** Returns the request of the form, or null if something is missing. A slot without a file has its text. */
function requested() {
  const texts = slots().map((slot) => (chosen.has(slot) ? '' : $(`${slot}-text`).value));
  const files = slots().map((slot, index) => chosen.get(slot) ?? (texts[index] && new File([texts[index]], 'pasted text')));
  if (!files.every(Boolean)) return null;
  const choices = Object.fromEntries(CHOICES.map((name) => [name, $(name).value]));
  // The format of two files is no choice.
  if (files.length === 2) choices.source = '';
  return { files, ...choices, is_text: files.length === 1 && Boolean(texts[0]), text: texts.length === 1 ? texts[0] : '' };
}

/** Sets the fields to those of a request, as far as they show it. */
function setForm(request) {
  if (request.text == null) return;
  setTwo(false);
  choose('one', null);
  $('one-text').value = request.text;
  for (const name of CHOICES) $(name).value = request[name];
  describeOptions();
  judge();
}

function describeOptions() {
  const chosenOnes = CHOICES.filter((name) => $(name).value !== DETECT[name]);
  const names = chosenOnes.length ? chosenOnes.map((name) => $(name).selectedOptions[0].text).join(', ') : 'detected';
  form.querySelector('summary').textContent = `Rules, format and framing: ${names}`;
}

/* ------------------------------------------------------------------ The verdict while typing */

let timer;
let lastLive = 0;

/** Judges the input after a pause, if it is short. */
function judge() {
  clearTimeout(timer);
  lastLive += 1; // an answer on its way is about another input
  timer = setTimeout(() => {
    const request = loaded && !isBusy && requested();
    const length = request ? request.files.reduce((sum, file) => sum + file.size, 0) : 0;
    if (!length || length > LIVE) return hideLive();
    worker.postMessage({ ...messageOf(request), is_brief: true, live: lastLive });
  }, PAUSE);
}

function hideLive() {
  $('live').hidden = true;
  $('live-verdict').textContent = '';
}

function showLive({ live, error, summary }) {
  if (live !== lastLive) return;
  const { severity, words } = error ? { severity: 'none', words: error } : verdictOf(summary);
  const findings = (summary?.findings ?? []).slice(0, 5);
  $('live').hidden = false;
  $('live').className = `live s-${severity}`;
  if ($('live-verdict').textContent !== words) $('live-verdict').textContent = words;
  $('live-findings').replaceChildren(...findings.map((finding) => element('li', {},
    element('a', { href: `#rule-${finding.rule}`, title: 'Explain this rule' }, element('code', {}, finding.rule)), ' ',
    element('bdi', {}, visible(sentence(finding.message))), ' ', element('span', { className: 'dim' }, placeOf(finding, summary)))));
  $('live-reply').textContent = error ? '' : owedBy(summary);
}

const rulesName = (name) => RULES[name] ?? `MCP ${name}`;

/** Returns the most severe severity, and the verdict in words. */
function verdictOf(summary) {
  const severity = ['error', 'warning', 'note'].find((name) => summary[`${name}s`]) ?? 'pass';
  const what = summary.is_one_direction
    ? `${count(summary.frames, 'message')}${summary.frames > 1 || summary.kind !== 'ndjson' ? `, ${LAYOUTS[summary.kind] ?? summary.kind}` : ''}, under the rules of ${rulesName(summary.rules)}`
    : `${count(summary.frames, 'message')} of both sides (${summary.kind})`;
  const broken = summary.broken ? ` The recording is broken: ${summary.broken}.` : '';
  return { severity, words: `${what}: ${severity === 'pass' ? 'nothing found' : findingsOf(summary)}.${broken}` };
}

const findingsOf = (summary) => [['error', summary.errors], ['warning', summary.warnings], ['note', summary.notes]]
  .filter(([, number]) => number).map(([noun, number]) => count(number, noun)).join(', ') || 'nothing found';

function placeOf(finding, summary) {
  const parts = [];
  if (summary.frames > 1 && finding.frame != null) parts.push(`message ${finding.frame}`);
  if (finding.path) parts.push(visible(finding.path));
  if (finding.frame != null) parts.push(`byte ${finding.column}`);
  return parts.length ? `(${parts.join(', ')})` : '';
}

/** Returns the sentence on the error replies that are owed. */
function owedBy({ replies: [first], owed, frames, is_one_direction: isOne }) {
  if (!isOne) return '';
  if (!first) return frames ? 'The receiver owes no error reply.' : '';
  const id = first.id == null ? 'without an id' : `with the id ${visible(first.id)}`;
  const one = `The receiver owes the error ${first.code} ${id}`;
  return owed === 1 ? `${one}.` : `${one} for message ${first.frame}, and ${count(owed - 1, 'more error')}.`;
}

/* ------------------------------------------------------------------ Auditing */

/** Returns a request as the worker takes it. */
const messageOf = ({ files, rules, source, framing, is_text = false }) => ({ files, names: files.map((file) => file.name), rules, source, framing, is_text });

/** Audits for a report. With a key, the address shows the request already. */
function audit(request, key = 0) {
  isBusy = true;
  pending = { ...request, key };
  clearTimeout(timer);
  hideLive();
  setState('progress');
  $('progress-file').textContent = request.files.map((file) => visible(file.name)).join(', ');
  tellProgress(0, 'Reading');
  $('progress-name').focus();
  announce('Auditing');
  worker.postMessage(messageOf(request));
}

let lastTenth = 0;

function tellRead(read, total) {
  const share = total ? Math.min(read / total, 1) : 1;
  tellProgress(share, `${size(read)} of ${size(total)} read`);
  const tenth = Math.floor(share * 10);
  if (tenth !== lastTenth && tenth > 0) announce(`${tenth * 10} %`);
  lastTenth = tenth;
}

function tellProgress(share, text) {
  $('meter').value = share;
  $('progress-text').textContent = text;
}

function cancel() {
  startWorker();
  for (const button of form.querySelectorAll('#start, [data-sample]')) button.disabled = true;
  leave();
  announce('Cancelled');
  $('one-text').focus();
}

/** Ends an audit without a report. */
function stop(why) {
  leave();
  complain(why);
  $('notice').focus();
}

/** Returns to the form from an audit. The address is that of the form, too. */
function leave() {
  isBusy = false;
  if (pending?.key) history.replaceState(null, '', '#');
  pending = null;
  setState('form');
  judge();
}

function complain(why) {
  const notice = $('notice');
  notice.textContent = why;
  notice.hidden = false;
  notice.scrollIntoView({ block: 'nearest' });
}

/* ------------------------------------------------------------------ The report */

async function show({ summary, reports, isLast }) {
  const request = pending;
  const members = await membersOf(request);
  if (pending !== request) return; // cancelled
  isBusy = false;
  pending = null;
  if (isLast) {
    worker = null; // it closes itself
    startWorker();
  }
  forget();
  const name = $('progress-file').textContent;
  $('result-name').textContent = name;
  const rulesOf = summary.is_one_direction ? `, rules of ${rulesName(summary.rules)}` : '';
  $('result-text').textContent = `${summary.kind}, ${count(summary.frames, 'message')}${rulesOf}: ${findingsOf(summary)}. ${owedBy(summary)}`;
  $('result-notice').hidden = !summary.broken;
  $('result-notice').textContent = summary.broken ? `The recording is broken, and this is what is readable of it. ${sentence(summary.broken)}.` : '';
  const addresses = DOWNLOADS.map(([type]) => reports[type] && URL.createObjectURL(reports[type]));
  const stem = (name.split(', ')[0].replace(/\.\w+$/, '') || 'session').replace(/[^\p{L}\p{N}._-]+/gu, '-');
  const links = DOWNLOADS.map(([, title, extension], index) => element('a', { href: addresses[index], download: `${stem}.report.${extension}` }, title));
  $('downloads').replaceChildren('Download:', ...links.filter((_, index) => addresses[index]));
  const frame = element('iframe', { title: 'The report' });
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = addresses[0];
  $('report').replaceChildren(frame);
  const key = request.key || ++lastKey;
  current = { key, addresses, frame, members };
  requests.set(key, request);
  const address = format({ ...current.members, view: request.key ? parse(location.hash).view : '' });
  if (request.key) history.replaceState({ key }, '', address);
  else history.pushState({ key }, '', address);
  setState('result');
  announce(`The report is ready. ${findingsOf(summary)}`);
  $('result-name').focus();
}

/** Returns the members of the fragment that lead to a request, as far as it is short and public. */
async function membersOf(request) {
  const choices = Object.fromEntries(CHOICES.filter((name) => request[name] !== DETECT[name]).map((name) => [name, request[name]]));
  if (request.sample) return { sample: request.sample, ...choices };
  if (request.example) return { example: request.example };
  const text = request.text && await pack(request.text);
  return text ? { text, ...choices } : {};
}

/** Removes the current report. */
function forget() {
  $('report').replaceChildren();
  $('downloads').replaceChildren();
  current?.addresses.filter(Boolean).forEach((address) => URL.revokeObjectURL(address));
  current = null;
}

/** Listens to the report, which may show what a hostile program has sent: it can ask for addresses, and nothing else. */
addEventListener('message', ({ source, data }) => {
  if (!current || source !== current.frame.contentWindow || typeof data?.report !== 'object' || !data.report) return;
  const { isReady, address, follow } = data.report;
  if (isReady) showView();
  if (typeof address === 'string' && viewOf(address) && document.body.dataset.state === 'result') {
    history.replaceState(history.state, '', format({ ...current.members, view: address }));
  }
  if (typeof follow === 'string' && viewOf(follow)) {
    const members = follow.startsWith('rule-') ? {} : current.members;
    history.pushState({ key: current.key }, '', format({ ...members, view: follow }));
    route();
  }
});

/** Lets the report show what the address names. */
function showView() {
  const { view } = parse(location.hash);
  current.frame.contentWindow.postMessage({ tautline: view.startsWith('rule') ? '' : view }, '*');
}

const TITLE = document.title;

function setState(state, title = '') {
  document.body.dataset.state = state;
  for (const id of ['form', 'progress', 'result', 'explain']) $(id).hidden = id !== state;
  $('about').hidden = state !== 'form';
  document.title = title || (state === 'result' ? `${$('result-name').textContent} · ${TITLE}` : TITLE);
  scrollTo(0, 0);
}

/* ------------------------------------------------------------------ The address */

/** Shows what the address names: a rule, a report, or the form. */
async function route() {
  if (!loaded || isBusy) return;
  const at = parse(location.hash);
  if (at.view === 'rules' || at.view.startsWith('rule-')) return explain();
  if (at.view === 'formats') {
    setState('form');
    return $('formats').scrollIntoView();
  }
  const key = history.state?.key;
  // A view alone is one of the report that was shown last, such as an address that was typed.
  const isOfCurrent = current && (key === current.key || (!key && at.view && !hasInput(at)));
  if (isOfCurrent) {
    if (!key) history.replaceState({ key: current.key }, '', format({ ...current.members, view: at.view }));
    setState('result');
    return showView();
  }
  const request = requests.get(key) ?? await requestAt(at);
  if (request) {
    setForm(request);
    lastKey = Math.max(lastKey, key ?? 0);
    return audit(request, key ?? ++lastKey);
  }
  setState('form');
  if (at.view || hasInput(at)) complain('This address names a report that is not here. Open its file again.');
}

const hasInput = (at) => Boolean(at.text || at.sample || at.example);

/** Returns the request of a fragment, or null. */
async function requestAt(at) {
  const choices = Object.fromEntries(CHOICES.map((name) => [name, [...$(name).options].some(({ value }) => value === at[name]) ? at[name] : DETECT[name]]));
  if (Object.hasOwn(SAMPLES, at.sample ?? '')) return sampleRequest(at.sample);
  if (at.example) {
    const rule = (await rulesKnown()).find(({ name, example }) => name === at.example && example?.recording);
    return rule ? exampleRequest(rule) : null;
  }
  const text = at.text && await unpack(at.text);
  return text ? { files: [new File([text], 'pasted text')], ...choices, is_text: true, text } : null;
}

function sampleRequest(name) {
  const { text, file } = SAMPLES[name];
  return text
    ? { files: [new File([text], 'pasted text')], ...DETECT, is_text: true, text }
    : { files: [file], ...DETECT, sample: name };
}

/* ------------------------------------------------------------------ The rules */

/** The callers that wait for the rules. */
const waiting = [];

/** Returns the rules, which the worker tells when they are first needed. */
function rulesKnown() {
  if (rules) return Promise.resolve(rules);
  return new Promise((tell) => {
    waiting.push(tell);
    worker.postMessage({ rules: true });
  });
}

async function explain() {
  await rulesKnown();
  const { view } = parse(location.hash);
  if (view !== 'rules' && !view.startsWith('rule-')) return; // the user has gone elsewhere
  const title = showRules(rules, view.replace(/^rules?-?/, ''), (rule) => audit(exampleRequest(rule)));
  setState('explain', `${title} · ${TITLE}`);
  $('explain-name').focus();
}

function exampleRequest({ name, example }) {
  return { files: [new File([example.recording], `${name}.recording`)], ...DETECT, rules: example.rules, example: name };
}

/* ------------------------------------------------------------------ Events */

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const request = requested();
  if (request) audit(request);
  else complain(isTwo() ? 'Both sides are needed: open a file for each, or paste its text.' : 'Paste a message or a log, or open a file, first.');
});
form.addEventListener('change', ({ target }) => {
  const slot = target.closest('[data-slot]')?.dataset.slot;
  if (slot && target.type === 'file') {
    const files = [...target.files];
    if (files.length === 1) choose(slot, files[0]);
    else take(files);
    target.value = ''; // so that the same file can be chosen again
  }
  if (CHOICES.includes(target.id)) {
    describeOptions();
    judge();
  }
});
form.addEventListener('input', ({ target }) => {
  if (target.tagName === 'TEXTAREA') judge();
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.tagName === 'TEXTAREA') form.requestSubmit();
});
form.addEventListener('click', ({ target }) => {
  const { sample, clear } = target.dataset;
  if (clear) choose(clear, null);
  if (!sample) return;
  const request = sampleRequest(sample);
  setForm(request);
  audit(request);
});
$('other').addEventListener('click', () => {
  setTwo(!isTwo());
  if (!isTwo()) choose('two', null);
});
$('swap').addEventListener('click', swap);
$('cancel').addEventListener('click', cancel);
for (const id of ['home', 'again']) {
  $(id).addEventListener('click', (event) => {
    event.preventDefault();
    if (isBusy) return;
    history.pushState(null, '', '#');
    route();
    judge();
    $('one-text').focus();
  });
}
addEventListener('popstate', () => {
  if (isBusy) {
    startWorker();
    isBusy = false;
    pending = null;
  }
  route();
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isBusy) cancel();
});

const slotAt = (event) => event.target.closest?.('[data-slot]');

/** Highlights the slot that would receive a drop. */
function mark(slot) {
  for (const one of form.querySelectorAll('.slot')) one.classList.toggle('over', one === slot);
}

addEventListener('dragover', (event) => {
  event.preventDefault(); // else the browser would open the file
  mark(slotAt(event) ?? form.querySelector('.slot:not([hidden])'));
});
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) mark(null);
});
addEventListener('drop', (event) => {
  event.preventDefault();
  mark(null);
  take([...event.dataTransfer.files], slotAt(event)?.dataset.slot);
});
addEventListener('paste', (event) => {
  if (event.target.closest?.('input, select')) return;
  const files = [...event.clipboardData.files];
  const text = event.clipboardData.getData('text');
  // Short text goes into the field. A long text would make the browser slow.
  if (event.target.closest?.('textarea') && !files.length && text.length < LONG_TEXT) return;
  event.preventDefault();
  const isShort = !files.length && text && text.length < LONG_TEXT && document.body.dataset.state === 'form' && !chosen.has('one');
  if (isShort) {
    $('one-text').value = text;
    $('one-text').focus();
    return judge();
  }
  if (!files.length && text) files.push(new File([text], 'pasted text'));
  take(files, slotAt(event)?.dataset.slot);
});

setTwo(false);
load().catch((error) => complain(`The page could not be loaded, and does not work: ${error.message}. It needs a web server; a file that is opened from the disk is not enough.`));
