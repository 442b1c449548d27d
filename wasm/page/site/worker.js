'use strict';

// The worker: it answers one request after the other, until the page terminates it.
//
// The page creates it from a blob, so that the policy of the page also applies here. It loads nothing: the page sends
// the module.

const FORMATS = ['json', 'sarif', 'junit', 'html'];
const TYPES = { json: 'application/json', sarif: 'application/sarif+json', junit: 'application/xml', html: 'text/html' };
/** The memory from which another worker takes over, in bytes. */
const LARGE = 64 * 1024 * 1024;
/** The minimum time between two progress messages, in milliseconds. */
const PAUSE = 100;

const reader = new FileReaderSync();
const decoder = new TextDecoder();

let engine;
let files = [];
let parts = [];
let reason = '';
const progress = { read: 0, total: 0, told: 0 };

/** Returns the bytes at an address. They are valid until the memory grows. */
const bytesAt = (address, length) => new Uint8Array(engine.memory.buffer, address, length);

const imports = {
  page: {
    read(file, offset, address, length) {
      const slice = files[file].slice(offset, offset + length);
      let bytes;
      try {
        bytes = new Uint8Array(reader.readAsArrayBuffer(slice));
      } catch {
        return -1;
      }
      bytesAt(address, length).set(bytes);
      progress.read += bytes.length;
      tell();
      return bytes.length;
    },
    write(address, length) {
      // A copy, because the memory belongs to the module.
      parts.push(bytesAt(address, length).slice());
    },
    fail(address, length) {
      reason = decoder.decode(bytesAt(address, length));
    },
  },
};

function tell() {
  const now = performance.now();
  if (progress.isSilent || now - progress.told < PAUSE) return;
  progress.told = now;
  postMessage({ read: progress.read, total: progress.total });
}

/** Returns the output since the last call. */
function written(type) {
  const blob = new Blob(parts, { type });
  parts = [];
  return blob;
}

function writtenText() {
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
  parts = [];
  return text;
}

function start(module) {
  engine = new WebAssembly.Instance(module, imports).exports;
  engine.choices();
  postMessage({ choices: JSON.parse(writtenText()) });
}

function tellRules() {
  engine.rules();
  postMessage({ rules: JSON.parse(writtenText()) });
}

function audit(request) {
  files = request.files;
  Object.assign(progress, { read: 0, told: 0, isSilent: Boolean(request.live), total: files.reduce((sum, file) => sum + file.size, 0) });
  const { names, rules, source, framing, is_text, is_brief = false, live } = request;
  const text = new TextEncoder().encode(JSON.stringify({ files: names, rules, source, framing, is_text, is_brief }));
  const address = engine.room(text.length);
  bytesAt(address, text.length).set(text);
  const isDone = engine.audit();
  const answer = writtenText();
  if (live) return postMessage(isDone ? { live, summary: JSON.parse(answer) } : { live, error: answer });
  if (!isDone) return postMessage({ error: answer });
  postMessage({ writing: true });
  const reports = {};
  FORMATS.forEach((format, index) => {
    if (engine.report(index)) reports[format] = written(TYPES[format]);
    parts = [];
  });
  // The memory of a module never shrinks. If this worker frees it, the page need not wait for that.
  const isLast = engine.memory.buffer.byteLength > LARGE;
  postMessage({ summary: JSON.parse(answer), reports, isLast });
  if (isLast) close();
}

onmessage = ({ data }) => {
  try {
    if (data.module) start(data.module);
    else if (data.rules === true) tellRules();
    else audit(data);
  } catch (error) {
    // The module can't be used any more. The page starts another worker.
    postMessage({ failure: reason || String(error) });
  }
};
