// The ids of requests that are in flight, in the SDK's form.

import { idOf, JsonNumber } from "../text.js";
import { written } from "./messages.js";

/** Returns the integer that a number of JSON such as `3.0` is equal to, or a string such as `"3"` has the digits of. */
function integerOf(text) {
  const id = idOf(text);
  if (id instanceof JsonNumber) return Number.isSafeInteger(Number(id)) ? Number(id) : undefined;
  const isPlain = typeof id === "string" && String(Number(id)) === id && Number.isSafeInteger(Number(id));
  return isPlain ? Number(id) : id;
}

/** The ids of our requests that the peer has not answered. */
export class AskedIds extends Set {
  /**
   * Returns the id of the request that a response with this id answers: the same id; otherwise, for peers that rewrite
   * ids, the number with the same value, and then the string with its digits. Also takes the text of the id.
   */
  like(id, text) {
    if (id === undefined || this.has(id)) return id;
    const integer = integerOf(text);
    return [integer, String(integer)].find((candidate) => this.has(candidate));
  }
}

/** Returns the value that JSON.parse reads from an id. It rounds or rewrites some numbers, such as `1.0` to 1. */
function valueOf(id) {
  const text = written(id);
  return text === undefined ? id : JSON.parse(text);
}

/** The ids of the peer's requests that we have not answered. A peer that reuses an id has several requests with it. */
export class OwedIds {
  /** The ids by their values. */
  #ids = new Map();
  /** The number of requests. */
  size = 0;

  add(id) {
    const value = valueOf(id);
    const ids = this.#ids.get(value);
    if (ids === undefined) this.#ids.set(value, [id]);
    else ids.push(id);
    this.size++;
  }

  /** Removes a request with this id. Returns whether there was one. */
  delete(id) {
    const value = valueOf(id);
    const ids = this.#ids.get(value);
    const at = ids?.indexOf(id) ?? -1;
    if (at === -1) return false;
    if (ids.length === 1) this.#ids.delete(value);
    else ids.splice(at, 1);
    this.size--;
    return true;
  }

  /** Returns whether an answer with this id would answer one of the requests. Many peers read ids by JSON.parse. */
  isAnsweredBy(id) {
    return this.#ids.has(valueOf(id));
  }

  /**
   * Returns the id of the request that another message names by this value: the same id, or the only one that JSON.parse
   * reads as the value.
   */
  likeValue(value) {
    const ids = new Set(this.#ids.get(value));
    const [id] = ids;
    return ids.size !== 1 || ids.has(value) ? value : id;
  }
}
