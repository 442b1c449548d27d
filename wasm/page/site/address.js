// The fragment of the page's address: what was audited, if it is short, and what of it is shown.
//
// A fragment has parts with `&` between them: members such as `rules=lsp`, and the name of a view, such as `frame-12`
// or `rule-id-null`. Browsers do not send it to the host.

/** The longest fragment that the page makes, in characters. */
const LONGEST = 6000;
/** The longest text that a fragment may contain, in bytes, so that a short fragment can't unpack to a huge text. */
const LONGEST_TEXT = 1_000_000;

const MEMBERS = ['text', 'sample', 'example', 'rules', 'source', 'framing'];
const VIEW = /^(frame-[1-9]\d{0,8}|rule-[a-z0-9-]{1,60}|[a-z]{1,20})$/;

/** Returns the view that a text names, or an empty text. */
export const viewOf = (text) => (VIEW.test(text) ? text : '');

/** Returns the members and the view of a fragment. Unknown parts are ignored. */
export function parse(fragment) {
  const at = { view: '' };
  for (const part of fragment.replace(/^#/, '').split('&')) {
    const [, name, value] = /^([a-z]+)=(.*)$/.exec(part) ?? [];
    if (MEMBERS.includes(name)) at[name] = value;
    else at.view = viewOf(part) || at.view;
  }
  return at;
}

/** Returns a fragment, with its `#`. */
export function format({ view = '', ...members }) {
  const parts = MEMBERS.filter((name) => members[name]).map((name) => `${name}=${members[name]}`);
  return `#${[...parts, view].filter(Boolean).join('&')}`;
}

/** Packs a text for a fragment. Returns null if it is too long. */
export async function pack(text) {
  const bytes = new Uint8Array(await piped(new TextEncoder().encode(text), new CompressionStream('deflate-raw')));
  if (bytes.length * 4 / 3 > LONGEST) return null;
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** Unpacks a text from a fragment. Returns null if there is none. */
export async function unpack(packed) {
  try {
    const bytes = Uint8Array.from(atob(packed.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(await piped(bytes, new DecompressionStream('deflate-raw')));
  } catch {
    return null;
  }
}

async function piped(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > LONGEST_TEXT) throw new Error('the text is too long');
    parts.push(next.value);
  }
  return new Blob(parts).arrayBuffer();
}
