// The types that users get, checked by tsc in package.mjs.

import { build, JsonNumber, MessageStream, MessageTransform, parse } from "tautline";
import type {
  Batch, Bytes, Desynchronised, Element, ErrorResponse, Fault, Finding, Framing, Id, Notification, NoMessage,
  Oversized, Parsed, Preset, Received, Request, ResultResponse, RuleName, Rules, RulesOptions, Severity, Span,
  StreamOptions, Unfinished,
} from "tautline";
import * as full from "tautline/full";
import * as inline from "tautline/inline";
import * as small from "tautline/small";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_T extends true>(): void {}

holds<Equal<Parsed, Request | Notification | ResultResponse | ErrorResponse | Batch | Fault>>();
holds<Equal<Received, Parsed | Oversized | NoMessage | Unfinished | Desynchronised>>();
holds<Equal<Element, Exclude<Parsed, Batch>>>();
holds<Equal<Id, string | number | bigint | JsonNumber | null>>();
holds<Equal<Extract<Received, { kind: "oversized" }>, Oversized>>();
holds<Equal<Severity, "error" | "warning" | "note">>();
holds<Equal<StreamOptions["framing"], Framing | undefined>>();
holds<Equal<Rules, Preset | RulesOptions>>();
holds<Equal<Extract<Bytes, string>, string>>();

export function narrow(received: Received): unknown {
  holds<Equal<Received["offset"], number>>();
  holds<Equal<Received["bytes"], Uint8Array>>();
  switch (received.kind) {
    case "request":
      holds<Equal<typeof received.id, Id>>();
      holds<Equal<typeof received.method, string>>();
      holds<Equal<typeof received.params, unknown>>();
      holds<Equal<ReturnType<typeof received.answer>, string>>();
      holds<Equal<ReturnType<typeof received.answerError>, string>>();
      const method: string = received.text("method");
      const params: string | undefined = received.text("params");
      // @ts-expect-error params may be absent
      const always: string = received.text("params");
      const span: Span = received.span("id");
      // @ts-expect-error a request has no result
      received.text("result");
      // @ts-expect-error nor has it a rule
      received.rule;
      const detached: Request = received.detach();
      return [method, params, always, span, detached];
    case "notification":
      holds<Equal<typeof received.id, Id | undefined>>();
      // @ts-expect-error nobody waits for an answer
      received.answer(1);
      return received.span("id")?.start;
    case "result":
      holds<Equal<typeof received.result, unknown>>();
      return received.text("result").length;
    case "error":
      holds<Equal<typeof received.code, number | bigint | JsonNumber>>();
      holds<Equal<typeof received.message, string>>();
      return received.value("data");
    case "batch":
      for (const element of received) holds<Equal<typeof element, Element>>();
      for (const element of received.elements()) holds<Equal<typeof element, Element>>();
      return received.length;
    case "fault":
      holds<Equal<typeof received.rule, RuleName>>();
      holds<Equal<typeof received.reply, string | undefined>>();
      holds<Equal<typeof received.id, Id | undefined>>();
      // @ts-expect-error there is no such rule
      if (received.rule === "no-such-rule") return 1;
      return received.rule === "duplicate-member" ? received.at : received.text("id");
    case "oversized":
      holds<Equal<typeof received.method, string | undefined>>();
      return received.length + received.line;
    case "no-message":
      return received.length + received.line;
    case "unfinished":
      holds<Equal<typeof received.line, undefined>>();
      return received.length;
    case "desynchronised":
      holds<Equal<typeof received.cause, RuleName>>();
      return received.message;
    default:
      holds<Equal<typeof received, never>>();
      return undefined;
  }
}

const stream = new MessageStream({ rules: { preset: "lsp", http: "request", maxDepth: 9 }, maxFrame: 100 });
holds<Equal<ReturnType<typeof stream.push>, IterableIterator<Received>>>();
holds<Equal<ReturnType<typeof stream.finish>, IterableIterator<Received>>>();
holds<Equal<ReturnType<typeof parse>, Parsed>>();
for (const chunk of ["", new Uint8Array(), new ArrayBuffer(1), new DataView(new ArrayBuffer(1))]) stream.push(chunk);
stream[Symbol.dispose]();
stream.setRules("2026-07-28");
// @ts-expect-error there is no such preset
stream.setRules("mcp");
// @ts-expect-error chunks are bytes
stream.push(1);
// @ts-expect-error there is no such framing
new MessageStream({ framing: "ndjson" });
// @ts-expect-error there is no such option
new MessageStream({ limit: 1 });

export const found: Finding[] = full.parse("{}", { strict: true }).findings();
export const readable: ReadableStream<Received> = new ReadableStream<Uint8Array>().pipeThrough(new MessageTransform());
export const streams: MessageStream[] = [new small.MessageStream(), new inline.MessageStream(), new full.MessageStream()];
holds<Equal<typeof build.name, "fast" | "small" | "full">>();
holds<Equal<typeof build.memorySize, number>>();
