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

export class PendingIds extends Set {
  /**
   * Returns the id of the request that a response with this id answers: the same id; otherwise, for peers that rewrite
   * ids, the number with the same value, and then the string with its digits. Also takes the text of the id.
   */
  like(id, text) {
    if (id === undefined || this.has(id)) return id;
    const integer = integerOf(text);
    return [integer, String(integer)].find((candidate) => this.has(candidate));
  }

  /**
   * Returns the id of the request that another message names by this value: the same id, or the only one whose text
   * JSON.parse rounds or rewrites to it, such as `1.0` for 1.
   */
  likeValue(value) {
    if (value === undefined || this.has(value)) return value;
    const alike = Array.from(this).filter((id) => {
      const text = written(id);
      return text !== undefined && JSON.parse(text) === value;
    });
    return alike.length === 1 ? alike[0] : value;
  }
}
