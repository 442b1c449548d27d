// Bad inputs, as bytes: what a client or a server sends where one valid message in one line is due.

const MIB = 1024 * 1024;

/** Returns an object with these members, whose values are texts. */
const object = (members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;

/** Returns bytes in which the character U+FFFF stands for a byte that is not UTF-8. */
function withBadBytes(text) {
  const parts = text.split("\uffff").map((part) => Buffer.from(part));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.of(0xff), part])));
}

const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);

/**
 * Returns the inputs of a side, by name. Each has `bytes`, without the newline after it, and `ids`: the texts of the ids
 * to which an answer is due, if they can be read.
 *
 * `message(id, text, members)` makes the members of a message with this text in its payload. Values in `members` replace
 * those of the message.
 */
function both(message, id) {
  const plain = (text = "x", members = {}) => object(message(id, text, members));
  /** The same with the id at the end. */
  const idLast = (text, members) => {
    const all = message(id, text, members);
    return object([...all.filter(([name]) => name !== "id"), ["id", id]]);
  };
  const whole = plain();
  const other = object(message('"other"', "y", {}));
  const twice = (name, value) => object([...message(id, "x", {}), [name, value]]);
  const due = (bytes, ids = [id]) => ({ bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes, ids });
  const withId = (text) => due(plain("x", { id: text }), [text]);
  const unreadable = (bytes) => due(bytes, []);
  const cut = (part) => whole.slice(0, whole.indexOf(part));
  const utf16 = (text) => Buffer.from(`${text}\n`, "utf16le");
  return {
    "the id is null": unreadable(plain("x", { id: "null" })),
    "the id is an object": unreadable(plain("x", { id: "{}" })),
    "the id is an array": unreadable(plain("x", { id: `[${id}]` })),
    "the id is a fraction": unreadable(plain("x", { id: "1.5" })),
    "the id is true": unreadable(plain("x", { id: "true" })),
    "no id": unreadable(object(message(id, "x", {}).filter(([name]) => name !== "id"))),
    "the id is written with a decimal point": withId(`${id}.0`),
    "the id is written with an exponent": withId(`${id}e0`),
    "no version": due(object(message(id, "x", {}).filter(([name]) => name !== "jsonrpc"))),
    "the version is 1.0": due(plain("x", { jsonrpc: '"1.0"' })),
    "the version is a number": due(plain("x", { jsonrpc: "2.0" })),
    "the version is null": due(plain("x", { jsonrpc: "null" })),
    "another member": due(twice("extra", "1")),
    "two versions": due(twice("jsonrpc", '"2.0"')),
    "the same id twice": due(twice("id", id)),
    "two ids": due(object([["id", '"first"'], ...message(id, "x", {})])),
    "an escaped name": due(whole.replace('"id"', '"\\u0069d"')),
    "5,000 arrays in each other, after the id": due(twice("deep", nested(5000))),
    "5,000 arrays in each other, before the id": due(object([["deep", nested(5000)], ...message(id, "x", {})])),
    "5 million arrays in each other": due(twice("deep", nested(5_000_000))),
    "12 MB": due(plain("x".repeat(12 * MIB))),
    "20 MB": due(plain("x".repeat(20 * MIB))),
    "20 MB, the id at the end": due(idLast("x".repeat(20 * MIB), {})),
    "a byte order mark": due(`\ufeff${whole}`),
    "UTF-16, little-endian": due(utf16(whole)),
    "UTF-16, big-endian": due(utf16(whole).swap16()),
    "CR between members": due(whole.replace(",", ",\r")),
    "CR before the newline": due(`${whole}\r`),
    "CR between messages": due(`${whole}\r${other}`, [id, '"other"']),
    "an unpaired surrogate in a text": due(plain("\\ud800")),
    "invalid UTF-8 in a text": due(withBadBytes(plain("\uffff"))),
    "invalid UTF-8 in a name": due(withBadBytes(twice("\uffff", "1"))),
    "invalid UTF-8 between members": due(withBadBytes(whole.replace(",", ",\uffff"))),
    "a character of UTF-8 that is cut": due(Buffer.from(plain("é").replace("é", "\u00c3"), "latin1")),
    "NaN after the id": due(twice("number", "NaN")),
    "NaN before the id": due(object([["number", "NaN"], ...message(id, "x", {})])),
    "-Infinity": due(twice("number", "-Infinity")),
    "undefined": due(twice("value", "undefined")),
    "a comma at the end": due(whole.replace(/\}$/, ",}")),
    "a newline in a string": due(plain("a\nb")),
    "a NUL byte after the message": due(`${whole}\0`),
    "truncated after the id": due(cut('"x"')),
    "truncated in a string": due(`${cut('"x"')}"x`),
    "truncated before the id": unreadable('{"jsonrpc":"2.0","i'),
    "two messages in a line": due(whole + other, [id, '"other"']),
    "a log line glued before": due(`[info] it's "ready" {x} ${whole}`),
    "a log line glued after": due(`${whole}[info] ready`),
    "pretty-printed": due(JSON.stringify(JSON.parse(whole), undefined, 2)),
    "a batch of one": due(`[${whole}]`),
    "a batch of two": due(`[${whole},${other}]`, [id, '"other"']),
    "an empty batch": unreadable("[]"),
    "text": unreadable("starting up"),
    "a blank line": unreadable(""),
    "a string": unreadable('"ping"'),
    "encoded twice": due(JSON.stringify(whole)),
  };
}

/** Returns the inputs of a client for a server. The tool "echo" returns its text. */
export function requests(id) {
  const message = (id, text, members) => {
    const params = `{"name":"echo","arguments":{"text":"${text}"}}`;
    return Object.entries({ jsonrpc: '"2.0"', id, method: '"tools/call"', params, ...members });
  };
  const plain = (members, own = id) => ({ bytes: Buffer.from(object(message(own, "x", members))), ids: [own] });
  const twice = (name, value) => ({ bytes: Buffer.from(object([...message(id, "x", {}), [name, value]])), ids: [id] });
  return {
    ...both(message, id),
    "the id is beyond 2^53": plain({}, "9007199254740993"),
    "the id has 20 digits": plain({}, "18446744073709551616"),
    "the id is empty": plain({}, '""'),
    "the id has an unpaired surrogate": plain({}, '"\\ud800"'),
    "the params are an array": plain({ params: "[1]" }),
    "the params are a string": plain({ params: '"x"' }),
    "the params are a number": plain({ params: "1" }),
    "the params are null": plain({ params: "null" }),
    "no params": { bytes: Buffer.from(object(message(id, "x", {}).slice(0, 3))), ids: [id] },
    "the method is a number": plain({ method: "7" }),
    "the method is null": plain({ method: "null" }),
    "the method is empty": plain({ method: '""' }),
    "the method is unknown": plain({ method: '"no/such"' }),
    "the method has an unpaired surrogate": plain({ method: '"\\udc00"' }),
    "no method": { bytes: Buffer.from(object(message(id, "x", {}).slice(0, 2))), ids: [id] },
    "two methods": twice("method", '"ping"'),
    "params twice": twice("params", "{}"),
    "a result beside the method": { ...twice("result", "{}"), ids: [] },
    "_meta is a number": plain({ params: '{"_meta":5}' }),
    "the progress token is a fraction": plain({ params: '{"_meta":{"progressToken":1.5}}' }),
  };
}

/** Returns the inputs of a server for a client that has called a tool with this id. */
export function responses(id) {
  const message = (id, text, members) => {
    const result = `{"content":[{"type":"text","text":"${text}"}]}`;
    return Object.entries({ jsonrpc: '"2.0"', id, result, ...members });
  };
  const plain = (members) => ({ bytes: Buffer.from(object(message(id, "x", members))), ids: [id] });
  const error = (value) => ({ bytes: Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${value}}`), ids: [id] });
  return {
    ...both(message, id),
    "the id is a string with the digits": plain({ id: `"${id}"` }),
    "the result is null": plain({ result: "null" }),
    "the result is an array": plain({ result: "[]" }),
    "the result is a string": plain({ result: '"x"' }),
    "no result": { bytes: Buffer.from(`{"jsonrpc":"2.0","id":${id}}`), ids: [id] },
    "the name of the result is misspelled": { bytes: Buffer.from(`{"jsonrpc":"2.0","id":${id},"Result":{}}`), ids: [id] },
    "a result and an error": plain({ error: '{"code":1,"message":"x"}' }),
    "a result, and an error that is null": plain({ error: "null" }),
    "two results": { bytes: Buffer.from(object([...message(id, "x", {}), ["result", "{}"]])), ids: [id] },
    "_meta is a number": plain({ result: '{"content":[],"_meta":5}' }),
    "the error is a string": error('"x"'),
    "the error is null": error("null"),
    "no code": error('{"message":"x"}'),
    "the code is a string": error('{"code":"E","message":"x"}'),
    "the code is a fraction": error('{"code":1.5,"message":"x"}'),
    "no message": error('{"code":1}'),
    "the message is null": error('{"code":1,"message":null}'),
    "an error without an id": { bytes: Buffer.from('{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}'), ids: [] },
  };
}
