'use strict';

// The page: it accepts files, lets a worker audit them, and shows the report in a separate frame.
//
// A report shows messages from programs that may be hostile. Its frame has no origin, may run only the script whose
// digest is in the policy of the page, and can make no requests. The page itself uses only numbers from a report.
// Everything else that it shows becomes text.

const $ = (id) => document.getElementById(id);
const form = $('form');

/** The names of the rules and framings, for people. */
const RULES = { auto: 'Detect: what the two sides agree on', jsonrpc: 'JSON-RPC 2.0', lsp: 'Language Server Protocol' };
const FRAMINGS = {
  ndjson: 'One message a line (ndjson)',
  'content-length': 'Content-Length headers, as in LSP (content-length)',
  sse: 'Server-sent events (sse)',
  concatenated: 'One JSON value after another (concatenated)',
};
const DOWNLOADS = [
  ['html', 'HTML', 'html'],
  ['sarif', 'SARIF', 'sarif'],
  ['junit', 'JUnit', 'xml'],
  ['json', 'JSON', 'json'],
];

/** The length from which a pasted text becomes a file instead of the content of a field. */
const LONG_TEXT = 1_000_000;

/** The loaded files: the script of the worker, the module and the example. */
let loaded;
let worker;
/** True while the worker audits. */
let isBusy = false;
/** The files by slot: one, client, server. */
const chosen = new Map();
/** The URLs of the blobs of the current report. */
let addresses = [];

/* ------------------------------------------------------------------ Loading */

async function load() {
  const get = async (name) => {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  };
  const [script, module, example] = await Promise.all([
    get('worker.js').then((answer) => answer.blob()),
    get('engine.wasm').then((answer) => answer.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes)),
    get('weather.recording').then((answer) => answer.blob()),
  ]);
  lock();
  loaded = { script: scriptAddress(script), module, example };
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
  else if (data.error) stop(data.error);
  else if (data.failure) {
    startWorker();
    stop(`The audit has failed: ${data.failure}. The file may be too large for the memory that the browser gives to a page. The program “tautline audit” has no such limit.`);
  } else if (data.reports) show(data);
  else if (data.writing) tellProgress(1, 'Writing the reports');
  else tellRead(data.read, data.total);
}

function offer({ version, rules, sources, framings }) {
  $('start').disabled = false;
  $('example').disabled = false;
  if ($('rules').length) return; // another worker has told
  $('version').textContent = version;
  $('notice').hidden = true;
  fill('rules', rules.map((name) => [name, RULES[name] ?? `MCP ${name}`]));
  fill('source', [['', 'Detect'], ...sources.map(({ name, title }) => [name, `${name}: ${title}`])]);
  fill('framing', framings.map((name) => [name, FRAMINGS[name] ?? name]));
}

function fill(id, options) {
  $(id).replaceChildren(...options.map(([value, text]) => new Option(text, value)));
}

/* ------------------------------------------------------------------ Choosing */

const mode = () => form.elements.mode.value;
const slots = () => (mode() === 'one' ? ['one'] : ['client', 'server']);

function setMode(value) {
  form.elements.mode.value = value;
  for (const element of form.querySelectorAll('[data-mode]')) element.hidden = element.dataset.mode !== value;
}

/** Sets the file of a slot, or removes it if the file is null. */
function choose(slot, file) {
  if (file) chosen.set(slot, file);
  else chosen.delete(slot);
  $(`${slot}-chosen`).textContent = file ? `${visible(file.name)}, ${size(file.size)}` : 'No file yet. Drop one here.';
  $('notice').hidden = true;
}

/** Accepts files that were dropped or pasted. */
function take(files, slot) {
  if (isBusy || document.body.dataset.state !== 'form' || !files.length) return;
  if (files.length > 2) return complain('Choose one recording, or two files, one for each side.');
  if (files.length === 2) {
    setMode('two');
    const [first, second] = files;
    // This is only a guess, and the user can swap the two.
    const isSwapped = /server|received|stdout/i.test(first.name) || /client|sent|stdin/i.test(second.name);
    choose('client', isSwapped ? second : first);
    choose('server', isSwapped ? first : second);
  } else {
    choose(slot ?? slots().find((name) => !chosen.has(name)) ?? slots()[0], files[0]);
  }
  announce(slots().map((name) => $(`${name}-chosen`).textContent).join('; '));
  $('start').focus();
}

function swap() {
  const [client, server] = ['client', 'server'].map((slot) => chosen.get(slot));
  choose('client', server);
  choose('server', client);
  const texts = [$('client-text'), $('server-text')];
  [texts[0].value, texts[1].value] = [texts[1].value, texts[0].value];
  announce('Swapped');
}

/** Returns the files to audit, one for each slot. If a slot has no file, its pasted text is used. */
function request() {
  const files = slots().map((slot) => {
    const text = $(`${slot}-text`).value;
    return chosen.get(slot) ?? (text && new File([text], 'pasted text'));
  });
  if (!files.every(Boolean)) return null;
  return { files, source: mode() === 'one' ? $('source').value : '', rules: $('rules').value, framing: $('framing').value };
}

/* ------------------------------------------------------------------ Auditing */

function audit(wanted) {
  isBusy = true;
  forget();
  const names = wanted.files.map((file) => file.name);
  setState('progress');
  $('progress-file').textContent = names.map(visible).join(', ');
  tellProgress(0, 'Reading');
  $('progress-name').focus();
  announce('Auditing');
  worker.postMessage({ ...wanted, names });
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
  $('start').disabled = true;
  $('example').disabled = true;
  isBusy = false;
  setState('form');
  announce('Cancelled');
  form.querySelector('input[name=mode]:checked').focus();
}

/** Ends an audit without a report. */
function stop(why) {
  isBusy = false;
  setState('form');
  complain(why);
  $('notice').focus();
}

function complain(why) {
  const notice = $('notice');
  notice.textContent = why;
  notice.hidden = false;
  notice.scrollIntoView({ block: 'nearest' });
}

/* ------------------------------------------------------------------ The report */

function show({ summary, reports, memory }) {
  isBusy = false;
  // The memory of a module never shrinks.
  if (memory > 64 * 1024 * 1024) startWorker();
  const name = $('progress-file').textContent;
  const counts = [[summary.errors, 'error'], [summary.warnings, 'warning'], [summary.notes, 'note']];
  const findings = counts.map(([number, noun]) => count(number, noun)).join(', ');
  $('result-name').textContent = name;
  $('result-text').textContent = `${summary.kind}, ${count(summary.frames, 'message')}: ${findings}`;
  addresses = DOWNLOADS.map(([format]) => reports[format] && URL.createObjectURL(reports[format]));
  const stem = (name.split(', ')[0].replace(/\.\w+$/, '') || 'session').replace(/[^\p{L}\p{N}._-]+/gu, '-');
  const links = DOWNLOADS.map(([, title, extension], index) => {
    const link = document.createElement('a');
    link.href = addresses[index];
    link.download = `${stem}.report.${extension}`;
    link.textContent = title;
    return link;
  });
  $('downloads').replaceChildren('Download:', ...links.filter((_, index) => addresses[index]));
  const frame = document.createElement('iframe');
  frame.title = 'The report';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = addresses[0];
  $('report').replaceChildren(frame);
  setState('result');
  announce(`The report is ready. ${findings}`);
  $('result-name').focus();
}

/** Removes the current report. */
function forget() {
  $('report').replaceChildren();
  $('downloads').replaceChildren();
  addresses.filter(Boolean).forEach((address) => URL.revokeObjectURL(address));
  addresses = [];
}

function setState(state) {
  document.body.dataset.state = state;
  for (const id of ['form', 'progress', 'result']) $(id).hidden = id !== state;
  $('about').hidden = state !== 'form';
  scrollTo(0, 0);
}

/* ------------------------------------------------------------------ Text */

const digits = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const count = (number, noun) => `${digits.format(number)} ${noun}${number === 1 ? '' : 's'}`;

function size(bytes) {
  if (bytes < 1000) return count(bytes, 'byte');
  return bytes < 1e6 ? `${digits.format(bytes / 1e3)} kB` : `${digits.format(bytes / 1e6)} MB`;
}

/** Replaces characters in a name that hide or reorder others. */
const visible = (name) => name.replace(/[\p{C}\u2028\u2029]/gu, '\uFFFD');

function announce(text) {
  $('announce').textContent = text;
}

/* ------------------------------------------------------------------ Events */

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const wanted = request();
  if (wanted) audit(wanted);
  else complain(mode() === 'one' ? 'Open a file, or paste its text, first.' : 'Both sides are needed: open a file for each, or paste its text.');
});
form.addEventListener('change', ({ target }) => {
  if (target.name === 'mode') setMode(target.value);
  const slot = target.closest('[data-slot]')?.dataset.slot;
  if (slot && target.type === 'file') {
    if (target.files.length) choose(slot, target.files[0]);
    target.value = ''; // so that the same file can be chosen again
  }
  // Text that the user types replaces a file that was chosen before.
  if (slot && target.tagName === 'TEXTAREA' && target.value) choose(slot, null);
});
$('swap').addEventListener('click', swap);
$('example').addEventListener('click', () => {
  audit({ files: [new File([loaded.example], 'weather.recording')], rules: 'auto', source: '', framing: 'ndjson' });
});
$('cancel').addEventListener('click', cancel);
$('again').addEventListener('click', () => {
  forget();
  setState('form');
  form.querySelector('input[name=mode]:checked').focus();
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isBusy) cancel();
});

const slotAt = (event) => event.target.closest?.('[data-slot]');

/** Highlights the slot that would receive a drop. */
function mark(slot) {
  for (const element of form.querySelectorAll('.slot')) element.classList.toggle('over', element === slot);
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
  const files = [...event.clipboardData.files];
  const text = event.clipboardData.getData('text');
  // Short text goes into the field. A long text would make the browser slow.
  if (event.target.closest?.('textarea') && !files.length && text.length < LONG_TEXT) return;
  event.preventDefault();
  if (!files.length && text) files.push(new File([text], 'pasted text'));
  take(files, slotAt(event)?.dataset.slot);
});

setMode(mode());
load().catch((error) => complain(`The page could not be loaded, and does not work: ${error.message}. It needs a web server; a file that is opened from the disk is not enough.`));
