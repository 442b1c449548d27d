/** Splits chunks of bytes into lines, and calls `use` with each one. Leaves out what follows the last line end. */
export function forEachLine(chunks, use) {
  let carried = [];
  for (const chunk of chunks) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(10, from);
      if (end < 0) break;
      let line = chunk.subarray(from, end);
      if (carried.length > 0) {
        line = Buffer.concat([...carried, line]);
        carried = [];
      }
      use(line);
      from = end + 1;
    }
    if (from < chunk.length) carried.push(chunk.subarray(from));
  }
}
