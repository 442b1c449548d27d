// A stream of messages whose bytes are pushed, chunk by chunk.

import { INPUT } from "./engine.js";
import { encodeFraming, encodeMaxFrame, encodeRules, known } from "./options.js";
import { isLost, item, lentLength, Rows } from "./received.js";
import { encode } from "./text.js";

const OPTIONS = ["rules", "framing", "maxFrame"];
const DONE = Object.freeze({ value: undefined, done: true });
/** Engines that lack the symbol have compilers that look for it under this name. */
const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");
/** The queue of a stream in which no chunk waits. Most streams never have another, and there may be many of them. */
const NONE = Object.freeze([]);
const NOTHING = new Uint8Array();

/** Returns bytes of any kind as a Uint8Array over the same memory. Encodes text as UTF-8. */
export function bytesOf(chunk) {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return encode(chunk);
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  // Objects from other realms have different constructors.
  if (Object.prototype.toString.call(chunk) === "[object ArrayBuffer]") return new Uint8Array(chunk);
  throw new TypeError("a chunk is a Uint8Array, another view, an ArrayBuffer or a string");
}

/** Returns the class for streams of one instance of the module. */
export function streamClass(engine) {
  /** Frees the memory of a stream when it is garbage-collected. */
  const forgotten = new FinalizationRegistry((address) => engine.exports.stream_free(address));

  return class MessageStream {
    #address;
    #rules;
    /** Counts the pushes. Each one invalidates earlier items. */
    #life = { generation: 0 };
    /** The current chunk, how much of it the module has read, whether it is a copy, and the chunks after it. */
    #chunk = NOTHING;
    #read = 0;
    #isKept = true;
    #queue = NONE;
    #queued = 0;
    /** The rows of the last call, their number, and how many were yielded. */
    #rows;
    #count = 0;
    #next = 0;
    #iterator;
    #isLost = false;
    #hasEnded = false;

    constructor(options = {}) {
      const { rules, framing, maxFrame } = known("the options", options, OPTIONS);
      this.#rules = encodeRules(engine, rules);
      const { stream_new } = engine.exports;
      const limit = encodeMaxFrame(maxFrame);
      this.#address = stream_new(encodeFraming(engine, framing), limit, this.#rules) >>> 0;
      if (this.#address === 0) {
        throw new RangeError("there is no memory for a stream: call free() on the streams that are no longer needed");
      }
      forgotten.register(this, this.#address, this);
    }

    /** The iterator over items, which is the same for all calls of push(). */
    static #Items = class {
      #stream;

      constructor(stream) {
        this.#stream = stream;
      }

      next() {
        return this.#stream.#step();
      }

      /** A loop that was left early: the rest is kept for the next one. */
      return() {
        this.#stream.#keep();
        return DONE;
      }

      [Symbol.iterator]() {
        return this;
      }
    };

    get #items() {
      return (this.#iterator ??= new MessageStream.#Items(this));
    }

    /**
     * Pushes the next bytes of the stream. Returns an iterator over the messages and faults that end in them. Items are
     * valid until the next push() or finish(), as long as the chunk is not overwritten.
     */
    push(chunk) {
      this.#open();
      this.#take(bytesOf(chunk));
      return this.#items;
    }

    /** Ends the stream. Returns an iterator over the rest of it. */
    finish() {
      this.#open();
      this.#take(NOTHING);
      this.#hasEnded = true;
      return this.#items;
    }

    /** Continues after a "desynchronised" item, by guessing where the next frame begins. */
    resync() {
      this.#used();
      this.#isLost = false;
      engine.exports.stream_resync(this.#address);
    }

    /** Sets the rules for the bytes that the module has not read yet, for example after a handshake. */
    setRules(rules) {
      this.#used();
      this.#rules = encodeRules(engine, rules);
      engine.exports.stream_set_rules(this.#address, this.#rules);
    }

    /** Frees the stream's memory now. The stream must not be used after that. */
    free() {
      if (this.#address === 0) return;
      forgotten.unregister(this);
      engine.exports.stream_free(this.#address);
      this.#address = 0;
      this.#drop();
      this.#life.generation++;
    }

    /** Lets `using` free the stream. */
    [DISPOSE]() {
      this.free();
    }

    #used() {
      if (this.#address === 0) throw new Error("the stream was freed");
    }

    #open() {
      this.#used();
      if (this.#hasEnded) throw new Error("the stream has ended");
    }

    get #hasRows() {
      return this.#next < this.#count;
    }

    #take(bytes) {
      this.#life.generation++;
      // There was no resync, so the bytes are discarded.
      if (this.#isLost) return this.#drop();
      if (this.#hasRows) this.#rows = this.#rows.renewed();
      if (this.#hasRows || this.#read < this.#chunk.length || this.#queued < this.#queue.length) {
        // An earlier loop was left early or never begun, so this chunk must wait. The chunks are copied, because their
        // owners may overwrite them in the meantime.
        this.#keep();
        if (this.#queue === NONE) this.#queue = [];
        this.#queue.push(bytes.slice());
      } else {
        this.#start(bytes, false);
      }
    }

    #start(chunk, isKept) {
      this.#chunk = chunk;
      this.#read = 0;
      this.#isKept = isKept;
    }

    /** Discards everything that was pushed but not yielded. */
    #drop() {
      this.#queue = NONE;
      this.#queued = 0;
      this.#start(NOTHING, true);
      this.#rows = undefined;
      this.#count = 0;
      this.#next = 0;
    }

    #step() {
      if (this.#hasRows || this.#fill()) {
        return { value: item(this.#rows, this.#next++), done: false };
      }
      // After a resync, the rest of the chunk is needed.
      if (this.#isLost) this.#keep();
      return DONE;
    }

    /** Lets the module read until there are rows. Returns whether there are any. */
    #fill() {
      while (this.#address !== 0 && !this.#isLost) {
        const chunk = this.#chunk;
        const from = this.#read;
        const length = Math.min(chunk.length - from, INPUT);
        // The length is negative if the buffer of the chunk was transferred or shrunk.
        if (length <= 0) {
          if (!this.#dequeue()) return this.#hasEnded && this.#end();
          continue;
        }
        const isWhole = length === chunk.length;
        engine.bytes.set(isWhole ? chunk : chunk.subarray(from, from + length), engine.inputAt);
        const count = engine.exports.stream_read(this.#address, engine.inputAt, length);
        const { consumed } = engine;
        this.#read += consumed;
        if (count > 0) {
          this.#answer(count, chunk, from, consumed);
          return true;
        }
      }
      return false;
    }

    /** Continues with the next queued chunk. Returns whether there is one. */
    #dequeue() {
      if (this.#queued === this.#queue.length) {
        this.#queue = NONE;
        this.#queued = 0;
        return false;
      }
      const chunk = this.#queue[this.#queued];
      this.#queue[this.#queued++] = undefined;
      this.#start(chunk, true);
      return true;
    }

    /** Lets the module finish the stream. Returns whether there was a row for the rest. */
    #end() {
      if (engine.exports.stream_finish(this.#address) === 0) return false;
      this.#answer(1, NOTHING, 0, 0);
      return true;
    }

    /** Stores the rows of an answer about these bytes. */
    #answer(count, bytes, shift, length) {
      const rows = new Rows(engine.rows(count), engine, this.#rules, this.#life);
      rows.bytes = bytes;
      rows.shift = shift;
      rows.length = length;
      const lent = lentLength(rows, count - 1);
      if (lent >= 0) rows.lent = engine.lent(lent);
      this.#isLost = isLost(rows, count - 1);
      this.#rows = rows;
      this.#count = count;
      this.#next = 0;
    }

    /** Copies the rest of the current chunk, because its owner may overwrite it before it is read. */
    #keep() {
      if (this.#isKept) return;
      if (this.#hasRows) {
        // The rows refer to places in the whole chunk.
        this.#chunk = this.#chunk.slice();
        this.#rows = this.#rows.renewed(this.#chunk);
        this.#isKept = true;
      } else {
        this.#start(this.#chunk.slice(this.#read), true);
      }
    }
  };
}
