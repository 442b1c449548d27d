'use strict';

// The page of an audit. It reads one JSON document from the element #data and shows it.
//
// Most of what it shows came over a wire from a program that may be hostile. Two rules hold everywhere:
// data becomes text nodes or attributes of our own choosing, never markup; and characters that hide or reorder
// others are shown as escapes (see "Text from the wire"). Work is bounded by what is visible, not by the document.

/* ------------------------------------------------------------------ Small helpers */

const $ = (id) => document.getElementById(id);
const listOf = (value) => (Array.isArray(value) ? value : []);

/** An element: h('tag.class', { attribute: value }, ...children). Strings become text nodes; null and false are left out. */
function h(selector, ...children) {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag);
  if (tag === 'button') element.type = 'button'; // not one that sends a form
  if (classes.length) element.className = classes.join(' ');
  const hasAttributes = children[0] && Object.getPrototypeOf(children[0]) === Object.prototype;
  for (const [name, value] of Object.entries(hasAttributes ? children.shift() : {})) {
    if (value == null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) parent.append(child);
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon for a severity or verdict. Each has its own shape, so that colour is not the only cue. */
function icon(name, label) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', `icon icon-${name}`);
  if (label) {
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
  } else {
    svg.setAttribute('aria-hidden', 'true');
  }
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A list of names and values. Missing values are omitted. */
const facts = (selector, pairs) => h(selector, pairs.filter(([, value]) => value != null && value !== false && value !== '').map(([name, value]) => h('div', h('dt', name), h('dd', value))));

const digits = new Intl.NumberFormat('en');
const number = (value) => digits.format(value);
const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** Capitalises a message that begins with a plain word. */
const sentence = (text) => (/^[a-z]+ /.test(text || '') ? capital(text) : text || '');

function duration(ms) {
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 100) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function announce(text) {
  $('announce').textContent = text;
}

/* ------------------------------------------------------------------ Text from the wire */

// Controls, format characters (bidirectional controls and zero width characters among them), surrogates, private and
// unassigned code points, line separators, whatever renders as nothing, and every space but U+0020.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu');
const HIDDEN_SPLIT = new RegExp(`(${HIDDEN.source})`, 'u');

const escapeOf = (code) => `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;

/** Cuts a text to at most `max` UTF-16 units, without splitting a surrogate pair, and describes the rest. */
function clip(text, max) {
  const all = String(text ?? '');
  if (all.length <= max) return { text: all, rest: '' };
  const unit = all.charCodeAt(max - 1);
  const end = unit >= 0xd800 && unit < 0xdc00 ? max - 1 : max;
  return { text: all.slice(0, end), rest: `… ${number(all.length - end)} characters left out` };
}

/** Makes text for an attribute, in which every character is visible. */
function visible(text, max = 200) {
  const clipped = clip(text, max);
  return clipped.text.replace(HIDDEN_ALL, (c) => escapeOf(c.codePointAt(0))) + clipped.rest;
}

/** Makes text for the page: an isolated run in which escapes look different from text that merely resembles them. */
function wire(text, max = 200, className = '') {
  const clipped = clip(text, max);
  const run = h('bdi', { class: className || null });
  if (!HIDDEN.test(clipped.text)) {
    run.append(clipped.text);
  } else {
    for (const part of clipped.text.split(HIDDEN_SPLIT)) {
      if (HIDDEN.test(part)) run.append(h('span.esc', escapeOf(part.codePointAt(0))));
      else run.append(part);
    }
  }
  if (clipped.rest) run.append(h('span.left-out', clipped.rest));
  return run;
}

const mono = (text, max) => wire(text, max, 'mono');

/* ------------------------------------------------------------------ The document and its indexes */

const SEVERITIES = ['error', 'warning', 'note'];
const RANK = { error: 3, warning: 2, note: 1 };
const KINDS = ['request', 'notification', 'result', 'error', 'batch', 'invalid'];
const KIND_NAMES = { request: 'request', notification: 'notification', result: 'result', error: 'error response', batch: 'batch', invalid: 'invalid frame' };
const KIND_TITLES = {
  request: 'A call that is owed an answer', notification: 'A call that has no answer', result: 'An answer: the call has succeeded',
  error: 'An answer: the call has failed', batch: 'Several messages in one array', invalid: 'Bytes that are not a message',
};
const SEVERITY_TITLES = {
  error: 'Errors: illegal messages, and broken requirements', warning: 'Warnings: legal, but some peers handle it wrongly', note: 'Notes: information that a person may want',
};
const SIDES = { client: 'Client', server: 'Server' };
const other = (side) => (side === 'client' ? 'server' : 'client');

let audit = {};
let frames = [];
let findings = [];
let hasTimes = false;
let isOneWay = false; // a log of one direction, which has no senders
let gapLimit = Infinity; // milliseconds; a longer pause is folded into a row of its own
let clock = (ms) => `${(ms / 1000).toFixed(3)} s`;
const frameAt = new Map(); // number -> frame
const findingsOf = new Map(); // number of a frame -> findings
const logsAfter = new Map(); // number of a frame -> lines of standard error

function readDocument() {
  audit = JSON.parse($('data').textContent);
  audit.totals = audit.totals || {};
  for (const name of ['sources', 'sessions', 'audits', 'requirements', 'latency', 'findings', 'frames', 'stderr', 'truncated']) audit[name] = listOf(audit[name]);
  ({ frames, findings } = audit);
  for (const frame of frames) {
    if (!KINDS.includes(frame.kind)) frame.kind = 'invalid';
    frame.from = SIDES[frame.from] ? frame.from : '';
    frame.session = frame.session || 0;
    frame.bytes = listOf(frame.bytes);
    frameAt.set(frame.number, frame);
  }
  findings.forEach((finding, index) => {
    finding.index = index;
    if (!SEVERITIES.includes(finding.severity)) finding.severity = 'note';
    if (finding.frame != null) pushTo(findingsOf, finding.frame, finding);
  });
  isOneWay = frames.length > 0 && !frames.some((frame) => frame.from);
  audit.stderr.forEach((line, index) => {
    line.index = index;
    pushTo(logsAfter, line.after_frame || 0, line);
  });
  measureTime();
}

function pushTo(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function measureTime() {
  const pauses = [];
  let last;
  let latest = 0;
  for (const frame of frames) {
    if (frame.time_ms == null) continue;
    hasTimes = true;
    if (last != null) pauses.push(frame.time_ms - last);
    last = frame.time_ms;
    latest = Math.max(latest, last);
  }
  pauses.sort((a, b) => a - b);
  gapLimit = Math.max(500, 10 * (pauses[pauses.length >> 1] || 0));
  if (latest >= 60000) {
    clock = (ms) => `${Math.floor(ms / 60000)}:${((ms % 60000) / 1000).toFixed(3).padStart(6, '0')}`;
  }
}

/** Returns whether a frame is a request without an answer among the frames. */
const unanswered = (frame) => frame.kind === 'request' && frame.pair == null && frame.from !== '';

function peerName(session, side) {
  const peer = session && session[side];
  return peer && peer.name ? `${peer.name}${peer.version ? ` ${peer.version}` : ''}` : '';
}

/* ------------------------------------------------------------------ State */

const state = {
  tab: 'timeline',
  frame: null, // number of the selected frame
  finding: null, // the selected finding
  hovered: null, // number of the frame under the pointer
  formatted: false, // JSON with line breaks rather than the bytes as they are
  filter: { text: '', side: '', kind: '', findings: '', session: '' },
  shownFrames: [],
  shownFindings: [],
};

/* ------------------------------------------------------------------ A list that renders only what is visible */

class VirtualList {
  /** `heightOf(item)` returns pixels, and `render(item, index)` creates the row. */
  constructor(scroller, canvas, heightOf, render) {
    Object.assign(this, { scroller, canvas, heightOf, render, items: [], rows: new Map(), tops: new Float64Array(1) });
    this.pending = 0;
    this.onRender = null;
    scroller.addEventListener('scroll', () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.schedule()).observe(scroller);
  }

  setItems(items) {
    this.items = items;
    this.tops = new Float64Array(items.length + 1);
    for (let i = 0; i < items.length; i++) this.tops[i + 1] = this.tops[i] + this.heightOf(items[i]);
    this.canvas.style.height = `${this.tops[items.length]}px`;
    this.redraw();
  }

  get height() {
    return this.tops[this.items.length];
  }

  /** Returns the index of the item at a distance from the top. */
  indexAt(y) {
    let low = 0;
    let high = this.items.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  schedule() {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.update());
  }

  redraw() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.update();
  }

  update() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    const { scrollTop, clientHeight } = this.scroller;
    if (this.items.length && clientHeight) {
      const margin = 240;
      const first = this.indexAt(scrollTop - margin);
      const last = this.indexAt(scrollTop + clientHeight + margin);
      for (const [index, row] of this.rows) {
        if (index < first || index > last) {
          row.remove();
          this.rows.delete(index);
        }
      }
      for (let index = first; index <= last; index++) if (!this.rows.has(index)) this.add(index);
    }
    if (this.onRender) this.onRender();
  }

  add(index) {
    const row = this.render(this.items[index], index);
    row.style.transform = `translateY(${this.tops[index]}px)`;
    row.style.height = `${this.tops[index + 1] - this.tops[index]}px`;
    this.rows.set(index, row);
    this.canvas.append(row);
  }

  /** Brings an item into view: into the middle if it is far out of sight. Does nothing if it is visible. */
  show(index) {
    const { scrollTop, clientHeight } = this.scroller;
    const top = this.tops[index];
    const bottom = this.tops[index + 1];
    if (top < scrollTop || bottom > scrollTop + clientHeight) {
      const near = top > scrollTop - 120 && bottom < scrollTop + clientHeight + 120;
      const target = !near ? (top + bottom - clientHeight) / 2 : top < scrollTop ? top - 8 : bottom - clientHeight + 8;
      this.scroller.scrollTop = Math.max(0, target);
    }
    this.update();
  }
}

/* ------------------------------------------------------------------ Timeline: items and rows */

let frameList;
const itemOf = new Map(); // number of a frame -> index of its item

const ITEM_HEIGHTS = { frame: 40, gap: 30, session: 44, end: 32, log: 24, empty: 120 };

function timelineItems(shown, filtered) {
  const sessions = audit.sessions;
  const items = [];
  let session;
  let lastTime;
  const addEnd = () => {
    if (sessions[session] && sessions[session].end) items.push({ type: 'end', session });
  };
  const addLogs = (after) => {
    if (!filtered && logsAfter.has(after)) items.push({ type: 'log', lines: logsAfter.get(after) });
  };
  addLogs(0);
  for (const frame of shown) {
    const its = frame.session;
    if (its !== session) {
      if (session != null) addEnd();
      session = its;
      lastTime = undefined;
      if (sessions.length > 1) items.push({ type: 'session', session });
    }
    if (frame.time_ms - lastTime >= gapLimit) items.push({ type: 'gap', ms: frame.time_ms - lastTime });
    if (frame.time_ms != null) lastTime = frame.time_ms;
    items.push({ type: 'frame', frame, session });
    addLogs(frame.number);
  }
  if (session != null) addEnd();
  if (!shown.length) items.push({ type: 'empty', filtered });
  return items;
}

function setTimeline(filtered) {
  const items = timelineItems(state.shownFrames, filtered);
  itemOf.clear();
  let position = 0;
  items.forEach((item, index) => {
    if (item.type !== 'frame') return;
    itemOf.set(item.frame.number, index);
    item.position = ++position;
  });
  frameList.setItems(items);
  drawRuler();
}

function timelineRow(item) {
  switch (item.type) {
    case 'frame': return frameRow(item);
    case 'gap': return gapRow(item);
    case 'session': return sessionRow(item);
    case 'end': return endRow(item);
    case 'log': return logRow(item);
    default: return emptyRow(item);
  }
}

function frameRow({ frame, position }) {
  const kind = frame.kind;
  const row = h('div', {
    class: `row frame k-${kind} from-${frame.from || 'anyone'}`,
    role: 'option',
    id: `row-${frame.number}`,
    'data-frame': frame.number,
    'aria-posinset': position,
    'aria-setsize': state.shownFrames.length,
  },
  h('span.num', h('span.sr', 'Frame '), number(frame.number)),
  h('span.time', frame.time_ms == null ? '' : clock(frame.time_ms)),
  h('span.lane', frameLabel(frame, kind), h('span.arrow')),
  h('span.marks', severityMarks(frame)));
  paintRow(row, frame.number);
  return row;
}

function frameLabel(frame, kind) {
  const method = frame.method != null ? wire(frame.method, 120, 'method') : null;
  return h('span.label',
    h('span.kind', { title: KIND_TITLES[kind] }, kind),
    frame.from ? h('span.sr', ` from ${frame.from} `) : null,
    method || (kind === 'invalid' || kind === 'batch' ? excerpt(frame) : null),
    frame.target != null ? wire(frame.target, 120, 'target') : null,
    frame.id != null ? h('span.id', 'id ', wire(frame.id, 40)) : null,
    frame.latency_ms != null ? h('span.latency', duration(frame.latency_ms)) : null,
    unanswered(frame) ? h('span.unanswered', 'no answer') : null);
}

/** Returns the beginning of a frame, as a label if it has no method. */
function excerpt(frame) {
  const [piece] = frame.bytes;
  if (!piece) return null;
  const start = piecesOf({ bytes: [{ text: piece.text && piece.text.slice(0, 80), base64: piece.base64 && piece.base64.slice(0, 108) }] }).pieces[0];
  const run = h('bdi.method.excerpt');
  appendBytes(run, start, 0, start.bytes.length, []);
  return run;
}

function severityMarks(frame) {
  const counts = severityCounts(frame.number);
  return SEVERITIES.filter((severity) => counts[severity]).map((severity) =>
    h('span', { class: `mark-count s-${severity}`, title: count(counts[severity], severity) },
      icon(severity), h('span.sr', count(counts[severity], severity)),
      counts[severity] > 1 && h('span', { 'aria-hidden': 'true' }, counts[severity] > 9 ? '9+' : counts[severity])));
}

function severityCounts(frameNumber) {
  const counts = {};
  for (const finding of findingsOf.get(frameNumber) || []) {
    const severity = finding.severity;
    counts[severity] = (counts[severity] || 0) + 1;
  }
  return counts;
}

function gapRow(item) {
  return h('div.row.gap', { role: 'presentation' },
    h('span.num'), h('span.time', '⋮'),
    h('span.lane', h('span.chip', `… ${duration(item.ms)} …`)));
}

function sessionRow(item) {
  const session = audit.sessions[item.session] || {};
  return h('div.row.session', { role: 'presentation' },
    h('strong', `Session ${number(item.session + 1)}`),
    session.revision ? wire(`revision ${session.revision}`, 60, 'dim') : null,
    peerName(session, 'client') || peerName(session, 'server')
      ? wire(`${peerName(session, 'client') || 'client'} → ${peerName(session, 'server') || 'server'}`, 120, 'dim') : null);
}

function endRow(item) {
  return h('div.row.end', { role: 'presentation' },
    h('span.num'), h('span.time'),
    h('span.lane', h('span.chip', 'End of session: ', wire(audit.sessions[item.session].end, 120))));
}

function logRow(item) {
  const more = item.lines.length - 1;
  return h('div.row.log', { role: 'presentation', onclick: () => showLog(item.lines[0].index) },
    h('span.num'), h('span.time'),
    h('span.lane', h('span.label', { title: 'Standard error' },
      h('span.kind', 'stderr'), wire(item.lines[0].text, 160, 'log-text'),
      more ? h('span.id', `+ ${count(more, 'line')}`) : null)));
}

function emptyRow(item) {
  return h('div.row.empty', { role: 'presentation' },
    item.filtered ? 'No frame matches the search and the filters.' : 'The session has no frames.');
}

/* ------------------------------------------------------------------ Timeline: selection, pairs, ruler */

/** Sets the classes of a row that can change without rendering it again. */
function paintRow(row, frameNumber) {
  const selected = frameAt.get(state.frame);
  const hovered = frameAt.get(state.hovered);
  row.classList.toggle('selected', frameNumber === state.frame);
  row.classList.toggle('partner', Boolean(selected && selected.pair === frameNumber) || Boolean(hovered && hovered.pair === frameNumber));
  row.setAttribute('aria-selected', String(frameNumber === state.frame));
}

function paintTimeline() {
  for (const [index, row] of frameList.rows) {
    const item = frameList.items[index];
    if (item.type === 'frame') paintRow(row, item.frame.number);
  }
  const selected = itemOf.has(state.frame) ? `row-${state.frame}` : '';
  frameList.scroller.setAttribute('aria-activedescendant', selected);
  drawPair();
}

/** Draws the bar on the answering side's lifeline, from the request to its answer. */
function drawPair() {
  const bar = $('pair-bar');
  const frame = [frameAt.get(state.hovered), frameAt.get(state.frame)].find((f) => f && f.pair != null);
  const from = frame && itemOf.get(frame.number);
  const to = frame && itemOf.get(frame.pair);
  bar.hidden = from == null || to == null;
  if (bar.hidden) return;
  const answersRequest = frame.latency_ms != null || frame.kind === 'result' || frame.kind === 'error';
  const side = answersRequest ? frame.from : other(frame.from);
  const lineAt = (index) => frameList.tops[index + 1] - 9;
  const top = Math.min(lineAt(from), lineAt(to));
  bar.className = `pair-bar at-${side}`;
  bar.style.transform = `translateY(${top}px)`;
  bar.style.height = `${Math.abs(lineAt(from) - lineAt(to))}px`;
}

/** Shows the peers of the session at the top of the view above the lifelines. */
function nameLanes() {
  const item = frameList.items[frameList.indexAt(frameList.scroller.scrollTop)];
  const session = audit.sessions[(item && item.session) || 0];
  for (const side of ['client', 'server']) {
    const name = visible(peerName(session, side), 60);
    const head = $(`head-${side}`);
    if (head.dataset.name === name) continue;
    head.dataset.name = name;
    head.replaceChildren(h('b', isOneWay ? (side === 'client' ? 'Messages' : '') : SIDES[side]), name ? h('span.dim', ` ${name}`) : '');
    head.title = name;
  }
}

let rulerPending = 0;

/** Marks the positions of findings beside the scroll bar. */
function drawRuler() {
  cancelAnimationFrame(rulerPending);
  rulerPending = requestAnimationFrame(paintRuler);
}

function paintRuler() {
  const ruler = $('ruler');
  const height = ruler.clientHeight;
  const scale = window.devicePixelRatio || 1;
  ruler.width = 14 * scale;
  ruler.height = Math.max(1, height * scale);
  if (!height || !frameList.height) return;
  const context = ruler.getContext('2d');
  context.scale(scale, scale);
  const total = Math.max(frameList.height, height);
  for (const severity of [...SEVERITIES].reverse()) {
    ruler.style.color = `var(--${severity})`; // a canvas takes no variables: let the style resolve it
    context.fillStyle = getComputedStyle(ruler).color;
    const column = SEVERITIES.indexOf(severity);
    for (const [frameNumber, index] of itemOf) {
      if (!(findingsOf.get(frameNumber) || []).some((finding) => finding.severity === severity)) continue;
      context.fillRect(1 + column * 4, (frameList.tops[index] / total) * height, 4, 2);
    }
  }
}

function startTimeline() {
  const scroller = $('frames-scroll');
  const canvas = $('frames-canvas');
  $('diagram').classList.toggle('no-times', !hasTimes);
  $('diagram').classList.toggle('no-marks', !findings.length);
  $('diagram').classList.toggle('one-way', isOneWay);
  canvas.append(
    h('div.lifelines', { 'aria-hidden': 'true' }, h('span.axis'), h('span.lines', h('span.pair-bar', { id: 'pair-bar', hidden: true }))));
  frameList = new VirtualList(scroller, canvas, (item) => ITEM_HEIGHTS[item.type], timelineRow);
  frameList.onRender = nameLanes;
  canvas.addEventListener('click', (event) => {
    const row = event.target.closest('[data-frame]');
    if (row) selectFrame(Number(row.dataset.frame), { open: true });
  });
  canvas.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'mouse') return;
    const row = event.target.closest('[data-frame]');
    hover(row ? Number(row.dataset.frame) : null);
  });
  canvas.addEventListener('pointerleave', () => hover(null));
  $('ruler').addEventListener('click', (event) => {
    const share = event.offsetY / event.target.clientHeight;
    scroller.scrollTop = share * Math.max(frameList.height, scroller.clientHeight) - scroller.clientHeight / 2;
  });
  new ResizeObserver(drawRuler).observe($('ruler'));
}

function hover(frameNumber) {
  if (state.hovered === frameNumber) return;
  state.hovered = frameNumber;
  paintTimeline();
}

/* ------------------------------------------------------------------ Findings beside the timeline */

let findingList;
const findingItemOf = new Map(); // index of a finding -> index of its item

function findingItems(shown, grouping) {
  const groups = new Map();
  for (const finding of shown) pushTo(groups, groupKey(finding, grouping), finding);
  let keys = [...groups.keys()];
  if (grouping === 'severity') keys = SEVERITIES.filter((severity) => groups.has(severity));
  if (grouping === 'rule') keys.sort((a, b) => groups.get(b).length - groups.get(a).length);
  if (grouping === 'frame') keys.sort((a, b) => (a === '' ? -1 : b === '' ? 1 : a - b));
  return keys.flatMap((key) => [
    { group: key, grouping, size: groups.get(key).length },
    ...groups.get(key).map((finding) => ({ finding })),
  ]);
}

function groupKey(finding, grouping) {
  if (grouping === 'severity') return finding.severity;
  if (grouping === 'rule') return finding.rule || '';
  return finding.frame == null ? '' : finding.frame;
}

function setFindings() {
  const items = findingItems(state.shownFindings, $('grouping').value);
  findingItemOf.clear();
  let position = 0;
  items.forEach((item, index) => {
    if (!item.finding) return;
    findingItemOf.set(item.finding.index, index);
    item.position = ++position;
  });
  // The keys n and p step through the findings in the order of the list.
  state.shownFindings = items.filter((item) => item.finding).map((item) => item.finding);
  const all = findings.length;
  $('findings-count').textContent = state.shownFindings.length === all ? number(all) : `${number(state.shownFindings.length)} of ${number(all)}`;
  findingList.setItems(items.length ? items : [{ none: true }]);
}

function findingRow(item) {
  if (item.none) return h('div.row.empty', { role: 'presentation' }, findings.length ? 'No finding matches.' : 'There are no findings.');
  return item.finding ? findingOption(item.finding, item.position) : groupRow(item);
}

function groupRow({ group, grouping, size }) {
  let name;
  if (grouping === 'severity') name = [capital(group), 's'];
  else if (grouping === 'rule') name = [mono(group, 80)];
  else if (group === '') name = ['Whole session or source'];
  else {
    const frame = frameAt.get(group);
    name = [`Frame ${number(group)}`, frame && frame.method != null ? h('span.dim', ' ', wire(frame.method, 60), frame.target != null ? [' ', wire(frame.target, 60)] : '') : ''];
  }
  return h('div.row.group', { role: 'presentation' }, h('span.ellipsis', name), h('span.dim', number(size)));
}

function findingOption(finding, position) {
  const severity = finding.severity;
  const row = h('div', {
    class: `row finding s-${severity}`,
    role: 'option',
    id: `finding-row-${finding.index}`,
    'data-finding': finding.index,
    'aria-posinset': position,
    'aria-setsize': state.shownFindings.length,
  },
  icon(severity, severity),
  h('span.what',
    h('span.message', wire(sentence(finding.message), 300)),
    h('span.where',
      mono(finding.rule, 80),
      finding.frame != null ? h('span', `frame ${number(finding.frame)}`) : null,
      finding.from ? h('span', finding.from === 'server' ? 'server' : 'client') : null)));
  paintFinding(row, finding);
  return row;
}

function paintFinding(row, finding) {
  const selected = finding === state.finding;
  row.classList.toggle('selected', selected);
  row.classList.toggle('related', !selected && finding.frame != null && finding.frame === state.frame);
  row.setAttribute('aria-selected', String(selected));
}

function paintFindings() {
  for (const [index, row] of findingList.rows) {
    const item = findingList.items[index];
    if (item.finding) paintFinding(row, item.finding);
  }
  const shown = state.finding && findingItemOf.has(state.finding.index);
  findingList.scroller.setAttribute('aria-activedescendant', shown ? `finding-row-${state.finding.index}` : '');
}

function startFindings() {
  const heightOf = (item) => (item.finding ? 66 : item.none ? 90 : 30);
  findingList = new VirtualList($('findings-scroll'), $('findings-canvas'), heightOf, findingRow);
  $('findings-canvas').addEventListener('click', (event) => {
    const row = event.target.closest('[data-finding]');
    if (row) selectFinding(findings[Number(row.dataset.finding)], { open: true });
  });
  $('grouping').addEventListener('change', () => {
    setFindings();
    if (state.finding && findingItemOf.has(state.finding.index)) findingList.show(findingItemOf.get(state.finding.index));
  });
}

/* ------------------------------------------------------------------ Bytes of a frame */

const STEP = 16384; // bytes rendered at once; more on request
const MAX_RUNS = 3000;
const MAX_MARKS = 300;

/** Returns the kept pieces of a frame as bytes, and whether they are the whole frame. */
function piecesOf(frame) {
  const pieces = frame.bytes.map(({ at, text, base64 }) => ({
    at: at || 0,
    bytes: base64 == null ? new TextEncoder().encode(text || '') : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
    isText: base64 == null,
  }));
  const [first] = pieces;
  const whole = pieces.length === 1 && first.at === 0 && first.isText && first.bytes.length === frame.length;
  return { pieces, whole };
}

/** Returns the marked ranges: `from` and `to` are byte offsets in the frame. */
function marksOf(frame) {
  const marks = (findingsOf.get(frame.number) || [])
    .filter((finding) => finding.column > 0)
    .slice(0, MAX_MARKS)
    .map((finding) => ({ from: finding.column - 1, to: finding.column - 1 + Math.max(1, finding.length || 1), severity: finding.severity, finding }));
  return marks.sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

/** Returns the places where the searched text occurs, ignoring the case of ASCII letters. */
function hitsOf(pieces) {
  const needle = new TextEncoder().encode(state.filter.text);
  const hits = [];
  const lower = (byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte);
  const found = (bytes, i) => {
    for (let k = 0; k < needle.length; k++) if (lower(bytes[i + k]) !== lower(needle[k])) return false;
    return true;
  };
  if (!needle.length) return hits;
  for (const { at, bytes } of pieces) {
    for (let i = 0; i + needle.length <= bytes.length && hits.length < 100; i++) {
      if (found(bytes, i)) hits.push({ from: at + i, to: at + i + needle.length, severity: 'hit' });
    }
  }
  return hits;
}

/** Decodes one UTF-8 character. The code is -1 for a byte that is not part of one. */
function decode(bytes, i, end) {
  const first = bytes[i];
  if (first < 0x80) return { code: first, size: 1 };
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const invalid = { code: -1, size: 1 };
  if (first < 0xc2 || first > 0xf4 || i + size > end) return invalid;
  let code = first & (0x7f >> size);
  for (let k = 1; k < size; k++) {
    if ((bytes[i + k] & 0xc0) !== 0x80) return invalid;
    code = (code << 6) | (bytes[i + k] & 0x3f);
  }
  const tooLong = (size === 3 && code < 0x800) || (size === 4 && code < 0x10000);
  return tooLong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? invalid : { code, size };
}

/** Returns the replacement for a character that is not shown as itself, or an empty string. */
function standIn(code, byte) {
  if (code < 0) return `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  if (code === 10) return '↵\n';
  return HIDDEN.test(String.fromCodePoint(code)) ? escapeOf(code) : '';
}

/**
 * Returns the mark of each byte in a range: an index into `marks` plus one, or 0. Later marks override earlier ones.
 */
function paintOf(from, to, marks) {
  const paint = new Uint16Array(to - from);
  marks.forEach((mark, index) => paint.fill(index + 1, Math.max(0, mark.from - from), Math.max(0, Math.min(to, mark.to) - from)));
  return paint;
}

/**
 * Appends the bytes of a piece from `from` to `to` (offsets in the frame) as runs of equal style. The cost depends on
 * the number of runs, so that is limited too.
 */
function appendBytes(target, piece, from, to, marks, className) {
  const paint = paintOf(from, to, marks);
  const { bytes, at } = piece;
  const end = to - at;
  let text = '';
  let look = null; // of the run being collected: [mark, whether escaped]
  let runs = 0;
  const flush = () => {
    if (text) append(target, byteRun(text, look[0] ? marks[look[0] - 1] : null, look[1], className));
    text = '';
  };
  for (let i = from - at; i < end;) {
    const { code, size } = decode(bytes, i, bytes.length);
    // A mark may begin within a character. Then the whole character is marked.
    let mark = 0;
    for (let k = 0; k < size; k++) mark = Math.max(mark, paint[i + at - from + k] || 0);
    const escaped = standIn(code, bytes[i]);
    if (!look || look[0] !== mark || look[1] !== Boolean(escaped)) {
      flush();
      look = [mark, Boolean(escaped)];
      if (++runs > MAX_RUNS) {
        target.append(foldedBytes(piece, i + at, to, marks));
        return;
      }
    }
    text += escaped || String.fromCodePoint(code);
    i += size;
  }
  flush();
}

function byteRun(text, mark, escaped, className) {
  // The line break is outside the span of its replacement, or the colour would extend to the next line.
  const standIns = () => text.split('\n').flatMap((part, i) => [i ? '\n' : '', part && h('span.esc', part)]);
  const inner = escaped ? standIns() : className ? h('span', { class: className }, text) : text;
  if (!mark) return [inner];
  const title = mark.finding ? visible(`${mark.finding.rule}: ${mark.finding.message}`, 200) : null;
  return [h('mark', { class: `m-${mark.severity}`, title, 'data-mark': mark.finding ? mark.finding.index : null }, inner)];
}

/** Moves a cut back so that it doesn't split a character. */
function alignCut(piece, offset) {
  let i = offset - piece.at;
  if (i >= piece.bytes.length) return piece.at + piece.bytes.length;
  for (let back = 0; back < 3 && i > 0 && (piece.bytes[i] & 0xc0) === 0x80; back++) i--;
  return piece.at + i;
}

/** Returns the ranges of a piece to show at first: its beginning, its end, and the surroundings of each mark. */
function shownRanges(piece, marks, budget) {
  const { at } = piece;
  const end = at + piece.bytes.length;
  if (piece.bytes.length <= budget) return [[at, end]];
  const wanted = [[at, at + (budget >> 1)], [end - 512, end]];
  for (const mark of marks.slice(-40)) {
    if (mark.from < end && mark.to > at) wanted.push([Math.max(at, mark.from - 256), Math.min(end, mark.from + 512)]);
  }
  wanted.sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of wanted) {
    const last = merged[merged.length - 1];
    if (last && from <= last[1] + 64) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged.map(([from, to]) => [alignCut(piece, from), alignCut(piece, to)]);
}

function rawBytes(frame, pieces, marks) {
  const target = h('pre.bytes');
  const leftOut = (from, to) => {
    if (to <= from) return;
    const marked = marks.some((mark) => mark.finding && mark.from >= from && mark.from < to);
    target.append(h('span.left-out.block', { 'data-from': from, 'data-to': to }, `… ${count(to - from, 'byte')} left out${marked ? ', a marked place among them' : ''} …`));
  };
  let reached = 0;
  for (const piece of pieces) {
    leftOut(reached, piece.at);
    const end = piece.at + piece.bytes.length;
    let shown = piece.at;
    for (const [from, to] of shownRanges(piece, marks, Math.max(2048, Math.floor(STEP / pieces.length)))) {
      if (from > shown) target.append(foldedBytes(piece, shown, from, marks));
      appendBytes(target, piece, from, to, marks);
      shown = to;
    }
    reached = end;
  }
  leftOut(reached, frame.length);
  const past = marks.find((mark) => mark.finding && mark.from >= frame.length);
  if (past) append(target, byteRun('‹end of frame›', past, true));
  return target;
}

/** Creates a placeholder for bytes that are in the document but not yet on the page. */
function foldedBytes(piece, from, to, marks) {
  const button = h('button', { class: 'more' });
  const label = () => { button.textContent = `Show ${number(Math.min(STEP, to - from))} of ${count(to - from, 'more byte')}`; };
  button.addEventListener('click', () => {
    const next = alignCut(piece, Math.min(to, from + STEP));
    const part = document.createDocumentFragment();
    appendBytes(part, piece, from, next, marks);
    button.before(part);
    from = next;
    if (from < to) label();
    else button.remove();
  });
  label();
  return button;
}

/* ------------------------------------------------------------------ JSON with line breaks */

/**
 * Splits JSON into tokens and line breaks. It only changes white space: numbers keep their digits, duplicate members
 * stay, and each token has its range of bytes, so that marks stay in place. The input must be valid JSON.
 */
function* jsonTokens(bytes) {
  const isSpace = (byte) => byte === 32 || byte === 9 || byte === 10 || byte === 13;
  const skip = (i) => { while (isSpace(bytes[i])) i++; return i; };
  let depth = 0;
  for (let i = skip(0); i < bytes.length; i = skip(i)) {
    const from = i;
    const byte = bytes[i++];
    let name = '';
    let breakAfter = false;
    if (byte === 0x22) {
      while (bytes[i] !== 0x22) i += bytes[i] === 0x5c ? 2 : 1;
      i++;
      name = bytes[skip(i)] === 0x3a ? 'key' : 'string';
    } else if (byte === 0x7b || byte === 0x5b) {
      const close = skip(i);
      if (bytes[close] === byte + 2) i = close + 1; // {} and [] stay on one line
      else { depth++; breakAfter = true; }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      yield { break: depth };
    } else if (byte === 0x2c) {
      breakAfter = true;
    } else if (byte !== 0x3a) {
      while (i < bytes.length && !isSpace(bytes[i]) && ![0x2c, 0x5d, 0x7d].includes(bytes[i])) i++;
      name = 'literal';
    }
    yield { from, to: i, name, gap: byte === 0x3a };
    if (breakAfter) yield { break: depth };
  }
}

function formattedBytes(piece, marks) {
  const target = h('pre.bytes.formatted');
  const tokens = jsonTokens(piece.bytes);
  const button = h('button', { class: 'more', onclick: () => step() });
  const step = () => {
    const part = document.createDocumentFragment();
    let spent = 0;
    let next;
    while (spent < STEP / 2 && !(next = tokens.next()).done) {
      const token = next.value;
      // Limits the indentation of deeply nested lines.
      if (token.break != null) part.append(`\n${'  '.repeat(Math.min(token.break, 40))}`);
      else spent += appendToken(part, piece, token, marks);
      spent += 4;
    }
    button.before(part);
    if (next.done) button.remove();
    else button.textContent = 'Show more';
  };
  target.append(button);
  step();
  return target;
}

function appendToken(part, piece, token, marks) {
  const size = token.to - token.from;
  const near = marks.filter((mark) => mark.from < token.to && mark.to > token.from);
  if (size > STEP) {
    const cut = alignCut(piece, token.from + (STEP >> 1));
    appendBytes(part, piece, token.from, cut, near, token.name);
    part.append(foldedBytes(piece, cut, token.to, near));
  } else {
    appendBytes(part, piece, token.from, token.to, near, token.name);
  }
  if (token.gap) part.append(' ');
  return Math.min(size, STEP);
}

function parses(frame) {
  try {
    JSON.parse(frame.bytes[0].text);
    return true;
  } catch {
    return false;
  }
}

/* ------------------------------------------------------------------ Detail of the selected frame */

const FINDINGS_AT_ONCE = 50;

function drawDetail() {
  const pane = $('detail');
  const frame = frameAt.get(state.frame);
  pane.classList.toggle('empty', !frame && !state.finding);
  if (frame) pane.replaceChildren(...frameDetail(frame));
  else if (state.finding) pane.replaceChildren(...findingDetail(state.finding));
  else pane.replaceChildren(h('p.hint', frames.length ? 'Select a frame or a finding.' : 'There is no frame to show.'));
  showMark();
}

function detailHead(title, ...rest) {
  return h('div.detail-head',
    h('div.detail-title', h('h2', title),
      h('span.steps',
        h('button', { class: 'quiet', 'aria-label': 'Previous frame', onclick: () => stepFrame(-1) }, '↑'),
        h('button', { class: 'quiet', 'aria-label': 'Next frame', onclick: () => stepFrame(1) }, '↓'),
        h('button', { class: 'quiet close', 'aria-label': 'Close', onclick: closeDetail }, '✕'))),
    ...rest);
}

function frameDetail(frame) {
  const own = findingsOf.get(frame.number) || [];
  const kind = frame.kind;
  const title = [`Frame ${number(frame.number)}`, h('span', { class: `badge k-${kind}` }, KIND_NAMES[kind])];
  const cards = h('div.cards', { id: 'cards', tabindex: '0', role: 'group', 'aria-label': 'Findings of this frame' });
  appendBatches(cards, own, FINDINGS_AT_ONCE, findingCard, 'finding');
  return [
    detailHead(title, frameFacts(frame)),
    own.length ? cards : null,
    ...bytesSection(frame),
  ].filter(Boolean);
}

function frameFacts(frame) {
  const answer = frame.pair != null ? frameLink(frame.pair) : unanswered(frame) && h('span.unanswered', 'none in this document');
  return facts('dl.frame-facts', [
    ['Direction', frame.from && `${frame.from} → ${other(frame.from)}`],
    ['Method', frame.method != null && mono(frame.method, 1000)],
    ['Target', frame.target != null && mono(frame.target, 1000)],
    ['Id', frame.id != null && mono(frame.id, 300)],
    [frame.kind === 'request' ? 'Answer' : 'Request', answer],
    ['Latency', frame.latency_ms != null && duration(frame.latency_ms)],
    ['Time', frame.time_ms != null && clock(frame.time_ms)],
    ['Length', count(frame.length || 0, 'byte')],
    ['Line', frame.line != null && number(frame.line)],
    ['Session', audit.sessions.length > 1 && number(frame.session + 1)],
  ]);
}

function frameLink(frameNumber, text) {
  const known = frameAt.has(frameNumber);
  const label = text || `frame ${number(frameNumber)}`;
  return known ? h('a', { href: `#frame-${frameNumber}` }, label) : h('span', { title: 'This frame is not in the document' }, label);
}

function findingDetail(finding) {
  const cards = h('div.cards', findingCard(finding));
  const note = finding.frame == null
    ? 'This finding is about a whole session or source, not about one frame.'
    : `Frame ${number(finding.frame)} is not in this document.`;
  return [detailHead(['Finding']), cards, h('p.hint', note)];
}

function findingCard(finding) {
  const { severity, column, length, line, offset } = finding;
  const source = audit.sources[finding.source];
  const place = column && `byte ${number(column)}${length > 1 ? `, ${count(length, 'byte')}` : ''}`;
  const where = [source && visible(source.name, 80), line != null && `line ${number(line)}`, offset != null && `offset ${number(offset)}`];
  return h('article', { class: `card s-${severity}${finding === state.finding ? ' selected' : ''}`, 'data-card': finding.index },
    h('div.card-title', icon(severity, severity), wire(sentence(finding.message), 2000, 'message')),
    h('div.card-rule', explained(finding.rule)),
    facts('dl', [
      ['Path', finding.path && mono(finding.path, 400)],
      ['Place', place && h('button.link', { onclick: () => selectFinding(finding) }, place)],
      ['Source', where.filter(Boolean).join(', ')],
      ['Reference', finding.spec_ref && wire(finding.spec_ref, 300)],
      ['Help', finding.help && wire(sentence(finding.help), 1000)],
    ]));
}

/** Renders the name of a rule. Where the page around the report explains rules, it is a link. */
function explained(rule) {
  if (!isHosted) return mono(rule, 100);
  return h('a.mono', { href: `#rule-${rule}`, title: 'Explain this rule' }, visible(rule, 100));
}

/** Appends rendered items, and a button for the next ones if there are more. */
function appendBatches(target, items, size, render, noun) {
  let done = 0;
  const button = h('button', { class: 'more', onclick: () => step() });
  const step = () => {
    const part = document.createDocumentFragment();
    for (const item of items.slice(done, done + size)) part.append(render(item));
    done += size;
    button.before(part);
    const rest = items.length - done;
    if (rest > 0) button.textContent = `Show ${number(Math.min(size, rest))} of ${count(rest, `more ${noun}`)}`;
    else button.remove();
  };
  target.append(button);
  step();
}

function bytesSection(frame) {
  if (!frame.bytes.length) return [h('p.hint', frame.length ? 'The document does not hold the bytes of this frame.' : 'The frame is empty.')];
  const { pieces, whole } = piecesOf(frame);
  const marks = [...hitsOf(pieces), ...marksOf(frame)];
  const canFormat = whole && parses(frame);
  const formatted = canFormat && state.formatted;
  const view = (name, on, text) => h('button', {
    'aria-pressed': String(on), disabled: name === 'formatted' && !canFormat,
    title: name === 'formatted' && !canFormat ? (whole ? 'The frame is not JSON' : 'The document does not hold the whole frame as text') : null,
    onclick: () => setFormatted(name === 'formatted'),
  }, text);
  return [
    h('div.bytes-head', h('h3', 'Bytes'),
      h('span.segmented', { role: 'group', 'aria-label': 'View of the bytes' }, view('raw', !formatted, 'Raw'), view('formatted', formatted, 'Formatted'))),
    h('div.bytes-scroll', { id: 'bytes', tabindex: '0', role: 'region', 'aria-label': 'Bytes of the frame' },
      formatted ? formattedBytes(pieces[0], marks) : rawBytes(frame, pieces, marks)),
  ];
}

function setFormatted(on) {
  state.formatted = on;
  drawDetail();
}

/** Brings the place and the card of the selected finding into view within the detail pane. */
function showMark() {
  const finding = state.finding;
  if (!finding || state.tab !== 'timeline') return;
  const within = (box, element) => {
    if (!box || !element) return;
    const outer = box.getBoundingClientRect();
    const inner = element.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - Math.max(8, (outer.height - inner.height) / 3);
  };
  within($('cards'), $('detail').querySelector(`[data-card="${finding.index}"]`));
  const find = () => $('detail').querySelectorAll(`[data-mark="${finding.index}"]`);
  const isThere = ({ dataset }) => dataset.from < finding.column && finding.column <= dataset.to;
  const leftOut = [...$('detail').querySelectorAll('.left-out.block')].find(isThere);
  // The place may be in a folded range of bytes.
  for (let i = 0; i < 8 && finding.column && !leftOut && !find().length; i++) {
    const more = $('bytes') && $('bytes').querySelector('.more');
    if (!more) break;
    more.click();
  }
  const marks = find();
  for (const mark of marks) mark.classList.add('current');
  within($('bytes'), marks[0] || leftOut);
  within($('detail'), marks[0] || leftOut); // where it scrolls as a whole, on a phone
}

/* ------------------------------------------------------------------ Selection and addresses */

/** Selects a frame. With `open`, shows the detail as a sheet if there is no room for it beside the list. */
function selectFrame(frameNumber, { finding = null, open = false, address = true } = {}) {
  if (!frameAt.has(frameNumber)) return;
  const changed = state.frame !== frameNumber || state.finding !== finding || open;
  state.frame = frameNumber;
  state.finding = finding;
  if (!itemOf.has(frameNumber)) {
    clearFilters();
    announce(`The filters were cleared to show frame ${frameNumber}.`);
  }
  if (address) setAddress(`frame-${frameNumber}`);
  if (!changed) return;
  if (itemOf.has(frameNumber)) frameList.show(itemOf.get(frameNumber));
  if (finding && findingItemOf.has(finding.index)) findingList.show(findingItemOf.get(finding.index));
  paintTimeline();
  paintFindings();
  drawDetail();
  if (open) $('detail').classList.add('open');
}

function selectFinding(finding, options = {}) {
  if (frameAt.has(finding.frame)) {
    selectFrame(finding.frame, { finding, ...options });
    return;
  }
  state.frame = null;
  state.finding = finding;
  if (findingItemOf.has(finding.index)) findingList.show(findingItemOf.get(finding.index));
  paintTimeline();
  paintFindings();
  drawDetail();
  if (options.open) $('detail').classList.add('open');
}

function stepFrame(by) {
  const shown = state.shownFrames;
  if (!shown.length) return;
  const at = itemOf.has(state.frame) ? frameList.items[itemOf.get(state.frame)].position - 1 : by > 0 ? -1 : shown.length;
  selectFrame(shown[Math.min(shown.length - 1, Math.max(0, at + by))].number);
}

function stepFinding(by) {
  const shown = state.shownFindings;
  if (!shown.length) return;
  let at = shown.indexOf(state.finding);
  if (at < 0) {
    // Nothing is selected in the list: continue from the selected frame.
    const next = state.frame === null ? 0 : Math.max(0, shown.findIndex((finding) => finding.frame >= state.frame));
    at = by > 0 ? next - 1 : next;
  }
  selectFinding(shown[(at + by + shown.length) % shown.length]);
}

function goToPartner() {
  const frame = frameAt.get(state.frame);
  if (frame && frame.pair != null) selectFrame(frame.pair);
  else if (frame) announce('This frame has no partner.');
}

function closeDetail() {
  $('detail').classList.remove('open');
  frameList.scroller.focus();
}

/** True if the page of tautline shows this one in a frame. Both then tell each other their addresses. */
let isHosted = false;

/** Tells the page around the report which address it shows, or wants to show. That page must not trust it. */
function tell(message) {
  if (isHosted) window.parent.postMessage({ report: message }, '*');
}

/** Sets the fragment of the address without adding to the history. */
function setAddress(fragment) {
  tell({ address: fragment });
  try {
    history.replaceState(null, '', `#${fragment}`);
  } catch {
    // Some viewers embed the file without a history. The page works without one.
  }
}

/** Lets the page around the report follow links and choose the address, so that its history has them. */
function startHosting() {
  if (window.parent === window) return;
  document.addEventListener('click', (event) => {
    const link = isHosted && event.target.closest('a[href^="#"]');
    if (!link || link.classList.contains('skip')) return;
    event.preventDefault();
    tell({ follow: link.getAttribute('href').slice(1) });
  });
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || typeof data?.tautline !== 'string') return;
    if (!isHosted) {
      isHosted = true;
      drawDetail(); // now with links to rules
    }
    route(data.tautline);
  });
  window.parent.postMessage({ report: { isReady: true } }, '*');
}

function route(fragment = location.hash.slice(1)) {
  const frame = /^frame-(\d+)$/.exec(fragment);
  if (frame) {
    showTab('timeline', false);
    selectFrame(Number(frame[1]), { open: true, address: false });
  } else if (TABS.some((tab) => tab.name === fragment)) {
    showTab(fragment, false);
  }
}

/* ------------------------------------------------------------------ Search and filters */

let searchRun = 0;

/** Returns whether the content of a frame, without its findings, contains the text. */
function frameHas(frame, text) {
  if (`${frame.method || ''} ${frame.target || ''}`.toLowerCase().includes(text)) return true;
  if (frame.id != null && frame.id.toLowerCase().includes(text)) return true;
  return frame.bytes.some((piece) => {
    if (piece.base64 != null && piece.lossy == null) piece.lossy = new TextDecoder().decode(piecesOf({ bytes: [piece] }).pieces[0].bytes);
    return (piece.lossy || piece.text || '').toLowerCase().includes(text);
  });
}

const findingHas = (finding, text) => [finding.rule, finding.message, finding.path].some((part) => part && part.toLowerCase().includes(text));

function framePasses(frame) {
  const { side, kind, session } = state.filter;
  if (side && frame.from !== side) return false;
  if (kind === 'unanswered' ? !unanswered(frame) : kind && frame.kind !== kind) return false;
  return !session || String(frame.session) === session;
}

function findingPasses(finding) {
  const wanted = state.filter.findings;
  if (wanted && wanted !== 'any' && finding.severity !== wanted) return false;
  const frame = frameAt.get(finding.frame);
  if (frame) return framePasses(frame);
  // There is no frame, so the kind and the session are unknown.
  return !state.filter.kind && !state.filter.session && (!state.filter.side || finding.from === state.filter.side);
}

const filtering = () => Object.values(state.filter).some(Boolean);

/** Applies search and filters. The search covers all text, in slices, so that the page stays responsive. */
async function applyFilters() {
  const run = ++searchRun;
  const text = state.filter.text.toLowerCase();
  const hits = new Set();
  let sliceEnd = performance.now() + 30;
  for (const frame of text ? frames : []) {
    if (frameHas(frame, text)) hits.add(frame.number);
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setTimeout(resolve));
      if (run !== searchRun) return;
      sliceEnd = performance.now() + 30;
    }
  }
  const ownMatch = (finding) => findingPasses(finding) && (!text || hits.has(finding.frame) || findingHas(finding, text));
  const shownFindings = findings.filter(ownMatch);
  const framesWith = new Set(shownFindings.map((finding) => finding.frame));
  state.shownFrames = frames.filter((frame) => framePasses(frame)
    && (!state.filter.findings || framesWith.has(frame.number))
    && (!text || hits.has(frame.number) || framesWith.has(frame.number)));
  state.shownFindings = shownFindings;
  showFiltered();
}

function showFiltered() {
  const on = filtering();
  setTimeline(on);
  setFindings();
  $('match-count').textContent = on ? `${number(state.shownFrames.length)} of ${count(frames.length, 'frame')}` : count(frames.length, 'frame');
  $('clear').hidden = !on;
  if (itemOf.has(state.frame)) frameList.show(itemOf.get(state.frame));
  paintTimeline();
  paintFindings();
}

function setFilter(change) {
  Object.assign(state.filter, change);
  $('search').value = state.filter.text;
  for (const name of ['side', 'kind', 'findings', 'session']) $(`filter-${name}`).value = state.filter[name];
  return applyFilters();
}

function clearFilters() {
  setFilter({ text: '', side: '', kind: '', findings: '', session: '' });
}

function startFilters() {
  const sessions = audit.sessions;
  $('filter-side').hidden = isOneWay;
  if (sessions.length > 1) {
    const select = $('filter-session');
    select.hidden = false;
    select.append(h('option', { value: '' }, 'All sessions'), ...sessions.map((_, index) => h('option', { value: index }, `Session ${number(index + 1)}`)));
  }
  let timer;
  $('search').addEventListener('input', (event) => {
    state.filter.text = event.target.value.trim();
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await applyFilters();
      if (state.frame !== null) drawDetail();
    }, 120);
  });
  for (const name of ['side', 'kind', 'findings', 'session']) {
    $(`filter-${name}`).addEventListener('change', (event) => setFilter({ [name]: event.target.value }));
  }
  $('toolbar').addEventListener('submit', (event) => event.preventDefault());
  $('toolbar').addEventListener('reset', (event) => {
    event.preventDefault();
    clearFilters();
    drawDetail();
  });
  $('filters-button').addEventListener('click', () => {
    const open = $('filters').classList.toggle('open');
    $('filters-button').setAttribute('aria-expanded', String(open));
  });
}

/* ------------------------------------------------------------------ Header and notices */

function drawHeader() {
  $('heading').textContent = visible(document.title, 120);
  const { totals } = audit;
  for (const severity of SEVERITIES) {
    const total = totals[`${severity}s`] || 0;
    $('counts').append(h('button', {
      class: `count s-${severity}${total ? '' : ' zero'}`, title: `${SEVERITY_TITLES[severity]}.${total ? ' Show only their frames.' : ''}`, disabled: !total,
      onclick: () => { showTab('timeline'); setFilter({ findings: severity }); },
    }, icon(severity), h('span', count(total, severity))));
  }
  for (const entry of audit.audits) {
    $('pills').append(h('button', { class: `pill v-${verdictClass(entry.verdict)}`, title: `The audit “${visible(entry.title)}”: ${verdictName(entry.verdict).toLowerCase()}. Show what it counts.`, onclick: () => showTab('audits') },
      verdictMark(entry.verdict), mono(entry.name, 60), h('strong', verdictName(entry.verdict))));
  }
  $('facts-fold').append(sessionFacts());
  if (matchMedia('(max-width: 759px)').matches) $('facts-fold').open = false;
  drawNotices();
}

const VERDICTS = { pass: ['pass', 'Pass'], passed: ['pass', 'Passed'], fail: ['fail', 'Fail'], failed: ['fail', 'Failed'], 'not-applicable': ['none', 'Not applicable'], 'not-observed': ['none', 'Not observed'] };
const verdictClass = (verdict) => (VERDICTS[verdict] || ['none'])[0];
const verdictName = (verdict) => (VERDICTS[verdict] || [])[1] || visible(verdict || 'Unknown');
const verdictMark = (verdict) => icon(verdictClass(verdict));
const verdictWord = (verdict) => h('span', { class: `verdict-word v-${verdictClass(verdict)}` }, verdictMark(verdict), verdictName(verdict));

function sessionFacts() {
  const { totals, sessions, sources } = audit;
  const several = (title, values) => {
    const unique = [...new Set(values.filter(Boolean))];
    const rest = unique.length > 4 ? ` and ${count(unique.length - 4, 'other')}` : '';
    return [unique.length > 1 ? `${title}s` : title, unique.length > 0 && wire(unique.slice(0, 4).join(', ') + rest, 240)];
  };
  return facts('dl', [
    several('Revision', sessions.map((session) => session.revision)),
    several('Client', sessions.map((session) => peerName(session, 'client'))),
    several('Server', sessions.map((session) => peerName(session, 'server'))),
    several('Source', sources.map((source) => `${source.name}${source.kind ? ` (${source.kind})` : ''}`)),
    ['Frames', `${number(totals.frames || 0)}, ${count(totals.bytes || 0, 'byte')}`],
    ['Sessions', sessions.length > 1 && number(sessions.length)],
    ['Rules', audit.rules && wire(audit.rules, 60)],
    ['Order', audit.order && (audit.order === 'causal' ? 'inferred' : 'as recorded')],
    ['Baseline', totals.baseline > 0 && `${count(totals.baseline, 'accepted finding')} not listed`],
    ['Made by', audit.tautline && wire(`tautline ${audit.tautline}`, 40)],
  ]);
}

function noticeTexts() {
  const texts = [];
  const left = [...listOf(audit.notes), ...listOf(audit.truncated)];
  const missing = left.map((text) => capital(text).replace(/[^.]$/, '$&.'));
  if (missing.length) texts.push(['Not everything is here', missing.join(' ')]);
  if (audit.order === 'causal') texts.push(['The order is inferred', 'The sources do not tell the exact order of frames across the two sides. Checks that depend on it were left out.']);
  return texts;
}

function drawNotices() {
  const texts = noticeTexts();
  $('notices').hidden = !texts.length;
  $('notices').append(...texts.map(([title, text]) => h('p', icon('warning'), h('strong', `${title}. `), wire(text, 2000))));
}

/* ------------------------------------------------------------------ Tabs */

const TABS = [
  { name: 'timeline', title: 'Timeline', draw: null },
  { name: 'findings', title: 'Findings', draw: null, size: () => findings.length },
  { name: 'audits', title: 'Audits', draw: drawAudits, size: () => audit.audits.length },
  { name: 'requirements', title: 'Requirements', draw: drawRequirements, size: () => audit.requirements.length },
  { name: 'latency', title: 'Latency', draw: drawLatency, size: () => audit.latency.length },
  { name: 'stderr', title: 'Standard error', draw: drawStderr, size: () => audit.stderr.length },
  { name: 'overview', title: 'Overview', draw: drawOverview },
];

// A log of one direction has nothing to show there.
const NEED_BOTH = ['audits', 'requirements', 'latency', 'stderr'];

// The findings have their own tab only if they don't fit beside the timeline. Both tabs share a panel.
const panelOf = (name) => $(`panel-${name === 'findings' ? 'timeline' : name}`);

const shownTabs = () => TABS.filter((tab) => $(`tab-${tab.name}`).offsetWidth);

function startTabs() {
  for (const tab of TABS) {
    $('tabs').append(h('button', {
      role: 'tab', id: `tab-${tab.name}`, 'aria-controls': panelOf(tab.name).id, onclick: () => showTab(tab.name),
      hidden: isOneWay && NEED_BOTH.includes(tab.name),
    }, tab.title, tab.size ? h('span.badge', number(tab.size())) : null));
    panelOf(tab.name).setAttribute('aria-labelledby', `tab-${tab.name === 'findings' ? 'timeline' : tab.name}`);
  }
  $('tabs').addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const shown = shownTabs();
    const at = shown.findIndex((tab) => tab.name === state.tab);
    const next = shown[(at + by + shown.length) % shown.length].name;
    showTab(next);
    $(`tab-${next}`).focus();
    event.preventDefault();
  });
  showTab('timeline', false);
}

function showTab(wanted, address = true) {
  const name = wanted === 'findings' && !$('tab-findings').offsetWidth ? 'timeline' : wanted;
  // A selection in the findings could not scroll the frames, because they were hidden.
  const follow = state.tab === 'findings' && name === 'timeline' && itemOf.has(state.frame);
  state.tab = name;
  $('app').dataset.tab = name;
  for (const tab of TABS) {
    const on = tab.name === name;
    $(`tab-${tab.name}`).setAttribute('aria-selected', String(on));
    $(`tab-${tab.name}`).tabIndex = on ? 0 : -1;
    panelOf(tab.name).hidden = panelOf(tab.name) !== panelOf(name);
    if (on && tab.draw) {
      tab.draw(panelOf(name));
      tab.draw = null; // once
    }
  }
  if (address) setAddress(name === 'timeline' && state.frame !== null ? `frame-${state.frame}` : name);
  if (follow) frameList.show(itemOf.get(state.frame));
  frameList.update();
  findingList.update();
}

const emptyNote = (text) => h('p.hint', text);

/** A table that can be scrolled, also with the keyboard. */
function table(name, heads, rows) {
  return h('div.table-scroll', { tabindex: '0', role: 'group', 'aria-label': name }, h('table',
    h('thead', h('tr', heads.map((head) => h('th', { scope: 'col', class: head.right ? 'right' : null }, head.title || head)))),
    h('tbody', rows)));
}

const cell = (value, className) => h('td', { class: className || null }, value);

/* ------------------------------------------------------------------ Tab: audits */

function drawAudits(panel) {
  const audits = audit.audits;
  panel.append(...(audits.length ? audits.map(auditSection) : [emptyNote('The document holds no audits.')]));
}

function auditSection(entry) {
  return h('section.audit',
    h('h2', verdictWord(entry.verdict), wire(entry.title || entry.name, 200)),
    h('p.dim', mono(entry.name, 80), entry.severity ? [' · severity ', wire(entry.severity, 40)] : null, entry.cwe ? [' · ', wire(entry.cwe, 40)] : null),
    listOf(entry.measures).map(measureSection));
}

function measureSection(measure) {
  const share = measure.checked ? measure.passed / measure.checked : null;
  const offenders = listOf(measure.offenders);
  const list = h('ul.offenders');
  appendBatches(list, offenders, 50, offenderItem, 'offender');
  return h('section.measure',
    h('h3', verdictWord(measure.verdict), wire(measure.title || measure.name, 200)),
    h('p.dim',
      share === null ? 'Nothing was checked.' : `${number(measure.passed)} of ${number(measure.checked)} passed, ${percent(share)}`,
      share !== null && measure.threshold != null ? `; at least ${percent(measure.threshold)} must pass` : null),
    offenders.length ? list : null);
}

/** Formats a share in percent. It is rounded down, so that 100% means all. */
const percent = (share) => `${Math.floor(share * 1000 + 1e-9) / 10}%`;

function offenderItem(offender) {
  return h('li', {},
    offender.frame != null ? frameLink(offender.frame, `Frame ${number(offender.frame)}`) : null,
    offender.from ? h('span.dim', `from ${visible(offender.from, 20)}`) : null,
    offender.line != null ? h('span.dim', `line ${number(offender.line)}`) : null,
    wire(sentence(offender.message), 400));
}

/* ------------------------------------------------------------------ Tab: requirements */

function drawRequirements(panel) {
  const all = audit.requirements;
  if (!all.length) {
    panel.append(emptyNote('The document holds no requirements.'));
    return;
  }
  const wanted = { verdict: all.some((entry) => entry.verdict === 'failed') ? 'failed' : '', level: '', text: '' };
  const results = h('div.requirements');
  const output = h('output.dim', { 'aria-live': 'polite' });
  const draw = () => {
    const text = wanted.text.toLowerCase();
    const shown = all.filter((entry) => (!wanted.verdict || entry.verdict === wanted.verdict)
      && (!wanted.level || entry.level === wanted.level)
      && (!text || [entry.id, entry.text, entry.clause, ...listOf(entry.rules)].some((part) => part && part.toLowerCase().includes(text))));
    results.replaceChildren();
    appendBatches(results, shown, 200, requirementItem, 'requirement');
    if (!shown.length) results.append(emptyNote('No requirement matches.'));
    output.textContent = `${number(shown.length)} of ${count(all.length, 'requirement')}`;
    for (const button of verdicts.children) button.setAttribute('aria-pressed', String(button.dataset.verdict === wanted.verdict));
  };
  const set = (change) => { Object.assign(wanted, change); draw(); };
  const verdicts = h('span.segmented', { role: 'group', 'aria-label': 'Verdict' },
    ['', 'failed', 'passed', 'not-observed'].map((verdict) => h('button', { 'data-verdict': verdict, onclick: () => set({ verdict }) },
      verdict ? verdictName(verdict) : 'All', ' ', h('span.dim', number(all.filter((entry) => !verdict || entry.verdict === verdict).length)))));
  const levels = [...new Set(all.map((entry) => entry.level).filter(Boolean))];
  panel.append(h('form.toolbar', { onsubmit: (event) => event.preventDefault() },
    h('input', { type: 'search', 'aria-label': 'Search requirements', placeholder: 'Search requirements', oninput: (event) => set({ text: event.target.value.trim() }) }),
    verdicts,
    h('select', { 'aria-label': 'Level', onchange: (event) => set({ level: event.target.value }) },
      h('option', { value: '' }, 'All levels'), levels.map((level) => h('option', { value: level }, visible(level, 30)))),
    output), results);
  draw();
}

function requirementItem(entry) {
  return h('article.requirement',
    verdictWord(entry.verdict),
    h('div', {},
      h('p', h('strong.level', visible(entry.level, 20)), ' ', wire(entry.text, 1000)),
      h('p.dim', mono(entry.id, 100), entry.clause ? [' · ', wire(entry.clause, 200)] : null, entry.by ? ` · by ${visible(entry.by, 20)}` : null,
        listOf(entry.rules).map((rule) => [' · ', ruleLink(rule)])),
      entry.reason ? h('p.reason', wire(entry.reason, 500)) : null));
}

/** Renders a rule. A rule with findings is a link to them. */
function ruleLink(rule) {
  if (!findings.some((finding) => finding.rule === rule)) return mono(rule, 100);
  return h('button', { class: 'link mono', onclick: () => { showTab('timeline'); setFilter({ text: rule }); } }, visible(rule, 100));
}

/* ------------------------------------------------------------------ Tab: latency */

const LATENCY = [
  { title: 'Method', key: 'method' }, { title: 'Asked by', key: 'from' }, { title: 'Answers', key: 'count', right: true },
  { title: 'Minimum', key: 'min_ms', right: true }, { title: 'Median', key: 'median_ms', right: true },
  { title: '95th percentile', key: 'p95_ms', right: true }, { title: 'Maximum', key: 'max_ms', right: true },
];

function drawLatency(panel) {
  const all = [...audit.latency];
  if (!all.length) {
    panel.append(emptyNote('No latency is known: the document has no times, or no request was answered.'));
    return;
  }
  const sort = { key: 'max_ms', down: true };
  const longest = all.reduce((most, entry) => Math.max(most, entry.max_ms || 0), 0.01);
  const shortest = Math.max(0.01, all.reduce((least, entry) => Math.min(least, entry.min_ms || 0), longest));
  const body = h('tbody');
  const heads = LATENCY.map(({ title, key, right }) => h('th', { scope: 'col', class: right ? 'right' : null },
    h('button', { class: 'link', onclick: () => { sort.down = sort.key === key ? !sort.down : Boolean(right); sort.key = key; draw(); } }, title)));
  const draw = () => {
    const order = (a, b) => (typeof a[sort.key] === 'number' ? a[sort.key] - b[sort.key] : String(a[sort.key]).localeCompare(String(b[sort.key]), 'en'));
    all.sort((a, b) => (sort.down ? -order(a, b) : order(a, b)));
    LATENCY.forEach(({ key }, i) => heads[i].setAttribute('aria-sort', sort.key !== key ? 'none' : sort.down ? 'descending' : 'ascending'));
    body.replaceChildren(...all.slice(0, 500).map((entry) => latencyRow(entry, shortest, longest)));
  };
  panel.append(h('div.table-scroll', { tabindex: '0', role: 'group', 'aria-label': 'Latency by method' }, h('table', h('thead', h('tr', heads, h('th', { scope: 'col' }, h('span.sr', 'Range')))), body)));
  if (all.length > 500) panel.append(emptyNote(`The table shows the first 500 of ${count(all.length, 'method')}.`));
  draw();
}

function latencyRow(entry, shortest, longest) {
  const at = (ms) => `${Math.max(0, Math.log(ms / shortest) / Math.log(longest / shortest || 1) || 0) * 100}%`; // from the shortest to the longest of all
  const bar = h('span.range', { 'aria-hidden': 'true' }, h('span.span'), h('span.tick'));
  bar.children[0].style.left = at(entry.min_ms);
  bar.children[0].style.right = `calc(100% - ${at(entry.max_ms)})`;
  bar.children[1].style.left = at(entry.median_ms);
  return h('tr', LATENCY.map(({ key, right }) => {
    if (key === 'method') return cell(mono(entry.method, 120));
    if (key.endsWith('_ms')) return cell(entry[key] == null ? '' : duration(entry[key]), 'right');
    return cell(key === 'count' ? number(entry.count || 0) : visible(entry[key], 20), right ? 'right' : '');
  }), cell(bar, 'range-cell'));
}

/* ------------------------------------------------------------------ Tab: standard error */

function drawStderr(panel) {
  const all = audit.stderr;
  if (!all.length) {
    panel.append(emptyNote('The server wrote nothing to standard error, or the source does not record it.'));
    return;
  }
  const list = h('ol.log-lines');
  appendBatches(list, all, 1000, logLine, 'line');
  panel.append(list);
}

function logLine(line) {
  return h('li', { 'data-log': line.index },
    h('span.time', line.time_ms == null ? '' : clock(line.time_ms)),
    h('span.after', line.after_frame ? frameLink(line.after_frame, `after frame ${number(line.after_frame)}`) : ''),
    mono(line.text, 4000));
}

function showLog(index) {
  showTab('stderr');
  const find = () => $('panel-stderr').querySelector(`[data-log="${index}"]`);
  for (let i = 0; i < 20 && !find() && $('panel-stderr').querySelector('.more'); i++) $('panel-stderr').querySelector('.more').click();
  if (find()) find().scrollIntoView({ block: 'center' });
}

/* ------------------------------------------------------------------ Tab: overview */

function drawOverview(panel) {
  const { totals } = audit;
  const sessions = audit.sessions;
  const kinds = ['requests', 'notifications', 'results', 'errors', 'batches', 'invalid'];
  const titles = ['Requests', 'Notifications', 'Results', 'Errors', 'Batches', 'Invalid'];
  panel.append(h('h2', 'Frames by side'),
    table('Frames by side', ['From', ...titles.map((title) => ({ title, right: true }))], listOf(totals.messages).map((side) =>
      h('tr', cell(SIDES[side.from] || 'Either side'), kinds.map((kind) => cell(number(side[kind] || 0), 'right'))))));
  panel.append(h('h2', 'Sessions'));
  if (!sessions.length) panel.append(emptyNote('The document holds no session.'));
  else {
    panel.append(table('Sessions', [{ title: 'Session', right: true }, 'First frame', 'Revision', 'Client', 'Server', 'End'], sessions.slice(0, 500).map((session, index) =>
      h('tr', cell(number(index + 1), 'right'), cell(session.first_frame ? frameLink(session.first_frame) : ''), cell(wire(session.revision, 40)),
        cell(wire(peerName(session, 'client'), 100)), cell(wire(peerName(session, 'server'), 100)), cell(wire(session.end, 200))))));
  }
  panel.append(h('h2', 'Sources'), table('Sources', ['Name', 'Kind'], audit.sources.slice(0, 500).map((source) =>
    h('tr', cell(mono(source.name, 300)), cell(wire(source.kind, 40))))));
}

/* ------------------------------------------------------------------ Print */

const PRINTED = { findings: 1000, frames: 200, offenders: 20 };

/** Renders what is printed instead of the lists, which contain only what is visible. Called when it is needed. */
function drawPrint() {
  const { totals } = audit;
  const verdict = SEVERITIES.map((severity) => count(totals[`${severity}s`] || 0, severity)).join(', ');
  const limited = (all, limit, noun) => (all.length > limit ? emptyNote(`These are the first ${number(limit)} of ${count(all.length, noun)}.`) : null);
  $('print').replaceChildren();
  append($('print'), [
    h('h1', visible(document.title)), h('p', h('strong', verdict)),
    sessionFacts(),
    noticeTexts().map(([title, text]) => h('p', h('strong', `${title}. `), wire(text, 500))),
    h('h2', 'Audits'), audit.audits.map(printedAudit),
    h('h2', 'Findings'), findings.slice(0, PRINTED.findings).map(printedFinding), limited(findings, PRINTED.findings, 'finding'),
    h('h2', 'Frames'),
    table('Frames', ['#', 'Time', 'From', 'Kind', 'Method', 'Id', 'Latency'], frames.slice(0, PRINTED.frames).map(printedFrame)),
    limited(frames, PRINTED.frames, 'frame'),
  ]);
}

function printedAudit(entry) {
  const short = { ...entry, measures: listOf(entry.measures).map((measure) => ({ ...measure, offenders: listOf(measure.offenders).slice(0, PRINTED.offenders) })) };
  return auditSection(short);
}

function printedFinding(finding) {
  return h('div.printed', h('p', icon(finding.severity), h('strong', ` ${finding.severity} `), wire(sentence(finding.message), 400)),
    h('p.dim', mono(finding.rule, 80), finding.frame != null ? ` · frame ${number(finding.frame)}` : '',
      finding.from ? ` · from ${visible(finding.from, 20)}` : '', finding.path ? [' · ', mono(finding.path, 200)] : null,
      finding.spec_ref ? [' · ', wire(finding.spec_ref, 200)] : null));
}

function printedFrame(frame) {
  return h('tr', cell(number(frame.number), 'right'), cell(frame.time_ms == null ? '' : clock(frame.time_ms), 'right'), cell(frame.from), cell(KIND_NAMES[frame.kind]),
    cell([mono(frame.method, 100), frame.target != null ? [' ', mono(frame.target, 100)] : null]), cell(mono(frame.id, 60)), cell(frame.latency_ms == null ? '' : duration(frame.latency_ms), 'right'));
}

/* ------------------------------------------------------------------ Keyboard */

const KEYS = [
  ['Next frame', 'j', '↓'], ['Previous frame', 'k', '↑'], ['First frame, last frame', 'g', 'G'], ['Next finding, previous finding', 'n', 'p'],
  ['From a request to its answer, and back', 'r'], ['Open the selected frame', 'Enter'], ['Close, or leave the search', 'Esc'], ['Search', '/'],
  ['Raw or formatted bytes', 'f'], ['Choose a tab', '1', '…', '6'], ['Change the theme', 't'], ['Show these keys', '?'],
];

const ACTIONS = {
  j: () => stepFrame(1), k: () => stepFrame(-1), g: () => stepFrame(-Infinity), G: () => stepFrame(Infinity),
  n: () => stepFinding(1), p: () => stepFinding(-1), r: goToPartner,
  f: () => setFormatted(!state.formatted),
  Enter: () => { $('detail').classList.add('open'); ($('bytes') || $('detail')).focus(); },
  Escape: closeDetail,
};

const EVERYWHERE = {
  '/': () => { showTab('timeline'); $('search').focus(); $('search').select(); },
  '?': () => $('keys').showModal(),
  t: () => nextTheme(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  const field = event.target.closest('input, select, textarea');
  if (field) {
    if (event.key === 'Escape' || (event.key === 'Enter' && field.id === 'search')) frameList.scroller.focus();
    return;
  }
  const action = keyAction(event);
  if (!action) return;
  event.preventDefault();
  action();
}

function keyAction({ key, target }) {
  if (EVERYWHERE[key]) return EVERYWHERE[key];
  const tab = /^[1-9]$/.test(key) && shownTabs()[key - 1];
  if (tab) return () => showTab(tab.name);
  if (state.tab !== 'timeline' && state.tab !== 'findings') return null;
  const onControl = target.closest('button, a, summary, [role=tab], [role=separator]');
  if (key === 'Enter' && onControl) return null;
  const arrow = { ArrowDown: 1, ArrowUp: -1 }[key];
  // The arrow keys move the selection if the focus is in a list or nowhere. Elsewhere they scroll as usual.
  if (arrow) return target.closest('#findings-scroll') ? () => stepFinding(arrow) : target.closest('#frames-scroll') || target === document.body ? () => stepFrame(arrow) : null;
  if ((key === 'Home' || key === 'End') && target.closest('#frames-scroll')) return ACTIONS[key === 'Home' ? 'g' : 'G'];
  return ACTIONS[key];
}

function startKeys() {
  document.addEventListener('keydown', onKey);
  $('keys-button').addEventListener('click', () => $('keys').showModal());
  $('keys-title').after(facts('dl.keys', KEYS.map(([text, ...keys]) => [keys.map((key) => h('kbd', key)), text])));
}

/* ------------------------------------------------------------------ Theme and widths */

const store = {
  get(name) { try { return localStorage.getItem(`tautline-${name}`); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(`tautline-${name}`, value); } catch { /* it lasts for this visit */ } },
};

const THEMES = ['system', 'light', 'dark'];

function setTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $('theme').textContent = `Theme: ${theme}`;
  store.set('theme', theme);
  drawRuler();
}

function nextTheme() {
  const at = THEMES.indexOf(document.documentElement.dataset.theme || 'system');
  setTheme(THEMES[(at + 1) % THEMES.length]);
}

/** Makes a handle between two panes set the width of one of them, by pointer or arrow keys. */
function startSplitter(id, variable, direction) {
  const handle = $(id);
  const pane = direction > 0 ? handle.previousElementSibling : handle.nextElementSibling;
  const set = (width) => {
    const bounded = Math.round(Math.min(Math.max(width, 220), window.innerWidth * 0.6));
    $('panes').style.setProperty(variable, `${bounded}px`);
    handle.setAttribute('aria-valuenow', bounded);
    store.set(id, bounded);
  };
  const stored = Number(store.get(id));
  const describe = () => {
    handle.setAttribute('aria-valuemin', 220);
    handle.setAttribute('aria-valuemax', Math.round(window.innerWidth * 0.6));
    handle.setAttribute('aria-valuenow', Math.round(pane.offsetWidth));
  };
  if (stored) set(stored);
  describe();
  window.addEventListener('resize', describe);
  handle.addEventListener('pointerdown', (down) => {
    const start = pane.offsetWidth;
    handle.setPointerCapture(down.pointerId);
    handle.onpointermove = (move) => set(start + direction * (move.clientX - down.clientX));
    handle.onlostpointercapture = () => { handle.onpointermove = null; };
  });
  handle.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 24, ArrowLeft: -24 }[event.key];
    if (by) set(pane.offsetWidth + direction * by);
  });
}

/* ------------------------------------------------------------------ Start */

function start() {
  try {
    readDocument();
  } catch (error) {
    $('app').replaceChildren(h('p.noscript', `The page cannot read its document: ${visible(error.message)}`));
    return;
  }
  startTimeline();
  startFindings();
  drawHeader();
  startTabs();
  startFilters();
  startKeys();
  setTheme(THEMES.includes(store.get('theme')) ? store.get('theme') : 'system');
  $('theme').addEventListener('click', nextTheme);
  // The browser can respond between the two halves, which take long for a long document.
  setTimeout(startLists);
}

function startLists() {
  state.shownFrames = frames;
  state.shownFindings = findings;
  showFiltered();
  route();
  // Something to look at: the first finding, unless the address names a frame.
  if (state.frame === null && state.shownFindings.length) selectFinding(state.shownFindings[0], { address: false });
  else drawDetail();
  startSplitter('split-findings', '--findings-width', 1);
  startSplitter('split-detail', '--detail-width', -1);
  startHosting();
  window.addEventListener('hashchange', () => route());
  window.addEventListener('beforeprint', drawPrint);
  matchMedia('print').addEventListener('change', (media) => { if (media.matches) drawPrint(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawRuler);
  $('detail').addEventListener('click', (event) => {
    const mark = event.target.closest('[data-mark]');
    if (mark) selectFinding(findings[Number(mark.dataset.mark)], { open: true });
  });
}

start();
