// Elements and texts.

export const $ = (id) => document.getElementById(id);

/** Returns a new element. Strings among the children become text. */
export function element(name, members, ...children) {
  const made = Object.assign(document.createElement(name), members);
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

const digits = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
export const count = (number, noun) => `${digits.format(number)} ${noun}${number === 1 ? '' : 's'}`;

export function size(bytes) {
  if (bytes < 1000) return count(bytes, 'byte');
  return bytes < 1e6 ? `${digits.format(bytes / 1e3)} kB` : `${digits.format(bytes / 1e6)} MB`;
}

/** Replaces characters in a text that hide or reorder others. */
export const visible = (text) => text.replace(/[\p{C}\u2028\u2029]/gu, '\uFFFD');

/** Begins a text with a capital letter, if it begins with a plain word. */
export const sentence = (text) => (/^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

export function announce(text) {
  $('announce').textContent = text;
}
