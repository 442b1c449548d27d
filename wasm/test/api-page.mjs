// Writes the page of the API from the declarations: what is exported, with its comments and types.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The declarations, and what imports them. */
const FILES = [
  ["lib/types.d.ts", "`tautline`, `tautline/small`, `tautline/full`, `tautline/fetch`, `tautline/workerd`"],
  ["bind.d.ts", "`tautline/bind`, which also has the types of `tautline`"],
  ["mcp.d.ts", "`tautline/mcp`"],
];

/** Returns the page, by this version of TypeScript, for the package in this folder. */
export async function apiPage(typescript, folder) {
  const { default: ts } = await import(pathToFileURL(path.join(typescript, "lib/typescript.js")));
  const parts = ["# API of tautline\n\nGenerated from the declarations, which editors show, too. The [README](README.md) has examples.\n"];
  for (const [name, entries] of FILES) {
    const text = readFileSync(path.join(folder, name), "utf8");
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    parts.push(`\n## ${entries}\n`);
    for (const statement of file.statements) {
      if (!statement.name || !isShown(ts, statement)) continue;
      const kind = ts.isClassDeclaration(statement) ? "class " : ts.isFunctionDeclaration(statement) ? "function " : "";
      parts.push(`\n### ${kind}\`${statement.name.text}\`\n`, comment(ts, statement), block(ts, statement));
    }
    for (const statement of file.statements.filter(ts.isVariableStatement)) {
      for (const { name } of statement.declarationList.declarations) {
        parts.push(`\n### \`${name.text}\`\n`, comment(ts, statement), block(ts, statement));
      }
    }
  }
  return parts.join("");
}

/** Interfaces that are not exported are described, too, because others extend them. */
function isShown(ts, statement) {
  return [ts.isClassDeclaration, ts.isInterfaceDeclaration, ts.isTypeAliasDeclaration, ts.isFunctionDeclaration].some((is) => is(statement));
}

/** Returns the comment before a declaration, as Markdown. */
function comment(ts, node) {
  const [found] = (node.jsDoc ?? []).slice(-1);
  if (found === undefined) return "";
  const words = (part) => ts.getTextOfJSDocComment(part) ?? "";
  const throwing = (found.tags ?? []).map((tag) => {
    const text = tag.typeExpression ? `${tag.typeExpression.type.getText()} ${words(tag.comment)}` : words(tag.comment);
    return `\n- throws ${text.replace(/\s*\n\s*/g, " ").trim()}\n`;
  });
  const text = `${words(found.comment)}`.replace(/\{@link ([\w.]+)\}/g, "`$1`");
  return `\n${text}\n${throwing.join("").replaceAll("\n\n", "\n")}`;
}

/** Returns the declaration without the comment before it. Its members keep theirs. */
function block(ts, node) {
  return `\n\`\`\`ts\n${node.getText().replace(/^\s*\/\/.*\n/gm, "")}\n\`\`\`\n`;
}
