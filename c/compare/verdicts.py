#!/usr/bin/env python3
"""Passes inputs to the jobs, each to a process of its own, and counts the wrong outcomes.

Usage:
  verdicts.py NAME=PROGRAM...    prints the tables
  verdicts.py --inputs           prints the inputs as constants in C

Behind each input comes a ping, which has to be answered: otherwise the input has taken the connection down. Fails if
tautline is wrong.
"""

import json
import subprocess
import sys
from decimal import Decimal

HEAD = '{"jsonrpc":"2.0",'


def ping(more='"id":1', params=""):
    return HEAD + more + ',"method":"ping"' + params + "}"


# What is no JSON has no id to reply with. JSON-RPC replies with the id null. MCP does not: its ids are never null.
REFUSED = ["error ?", "none"]

# What is allowed: "result ID" and "error ID", where ? is any id or none, and "none".
CASES = [
    ("a request", ping(), ["result 1"]),
    ("an id that is a string", ping('"id":"a-1"'), ['result "a-1"']),
    ("an id with escapes", ping(r'"id":"a\n\"\u00e9"'), [r'result "a\n\"\u00e9"']),
    ("an id that is empty", ping('"id":""'), ['result ""']),
    ("an id beyond 2^53", ping('"id":9007199254740993'), ["result 9007199254740993"]),
    ("an id of 64 bits", ping('"id":18446744073709551615'), ["result 18446744073709551615"]),
    ("an id of 70 characters", ping('"id":"' + "x" * 70 + '"'), ['result "' + "x" * 70 + '"']),
    ("an id that is a fraction", ping('"id":1.5'), ["error ?"]),
    ("an id that is null", ping('"id":null'), ["error ?"]),
    ("an id that is an object", ping('"id":{}'), ["error ?"]),
    ("an id that is a lone surrogate", ping(r'"id":"\ud800"'), ["error ?"]),
    ("an unknown method", HEAD + '"id":1,"method":"no"}', ["error 1"]),
    ("a name with an escape", HEAD + r'"id":1,"m\u0065thod":"ping"}', ["result 1"]),
    ("a method with an escape", HEAD + r'"id":1,"method":"p\u0069ng"}', ["result 1"]),
    ("a method that goes on after a NUL", HEAD + r'"id":1,"method":"ping\u0000s"}', ["error 1", "error ?"]),
    ("a method that is a number", HEAD + '"id":1,"method":5}', ["error ?"]),
    ("two methods", HEAD + '"id":1,"method":"ping","method":"no"}', ["error ?"]),
    ("two methods, the other way round", HEAD + '"id":1,"method":"no","method":"ping"}', ["error ?"]),
    ("two methods, one with an escape", HEAD + r'"id":1,"method":"ping","meth\u006fd":"no"}', ["error ?"]),
    ("two ids", ping('"id":1,"id":2'), ["error ?"]),
    ("a method in the params alone", HEAD + '"id":1,"params":{"method":"ping"}}', ["error ?"]),
    ("a method and a result", ping('"id":1,"result":{}'), ["error ?", "none"]),
    ("params that are a string", ping(params=',"params":"x"'), ["error ?"]),
    ("nesting of 40", ping(params=',"params":{"a":' + "[" * 40 + "]" * 40 + "}"), ["result 1"]),
    ("an array of 60", ping(params=',"params":{"a":[' + ",".join("1" * 60) + "]}"), ["result 1"]),
    ("no version", '{"id":1,"method":"ping"}', ["error ?"]),
    ("another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', ["error ?"]),
    ("a comma too many", ping(params=',"params":{"a":1,}'), REFUSED),
    ("single quotes", ping(params=",\"params\":{'a':1}"), REFUSED),
    ("a number with a zero before it", ping(params=',"params":{"a":01}'), REFUSED),
    ("a word that is none", ping(params=',"params":{"a":tru}'), REFUSED),
    ("an escape that is none", ping(params=r',"params":{"a":"\x"}'), REFUSED),
    ("brackets that do not match", ping(params=',"params":{"a":[1}]'), REFUSED),
    ("a raw tab in a string", ping(params=',"params":{"a":"\t"}'), REFUSED),
    ("bytes that are no UTF-8", ping().encode().replace(b"1", b'1,"a":"\xff"'), REFUSED),
    ("more behind the value", ping() + " x", REFUSED),
    ("two values on a line", ping() + ping('"id":2'), REFUSED),
    ("a value without its end", ping()[:-1], REFUSED),
    ("a batch", "[" + ping() + "]", ["error ?"]),
    ("a line that is too long", ping(params=',"params":{"a":"' + "x" * 300 + '"}'), ["error ?"]),
    ("CR and LF", ping() + "\r", ["result 1"]),
    ("an empty line", "", ["none"]),
    ("a notification", HEAD + '"method":"ping"}', ["none"]),
    ("an unknown notification", HEAD + '"method":"no"}', ["none"]),
    ("a result", HEAD + '"id":7,"result":{}}', ["none"]),
    ("an error", HEAD + '"id":7,"error":{"code":-32601,"message":"no"}}', ["none"]),
    ("an error without an id", HEAD + '"id":null,"error":{"code":-32700,"message":"no"}}', ["none"]),
]

KINDS = ["caller waits", "call fails", "accepted", "other id", "reply not owed", "broken reply", "crash"]


def exact(text):
    return json.loads(text, parse_float=Decimal)


def outcomes(output):
    """Returns what was replied, as in the list above, or None for a reply that is no message."""
    for line in output.split(b"\n")[:-1]:
        try:
            reply = exact(line.decode())
            kind = "result" if "result" in reply else "error" if "error" in reply else None
        except (ValueError, TypeError):
            kind = None
        if kind is None:
            yield None, None
        else:
            yield kind, reply.get("id")


def judge(program, line, allowed):
    """Returns the kind of what is wrong, or None."""
    line = line if isinstance(line, bytes) else line.encode()
    try:
        sent = line + b"\n" + ping('"id":999').encode() + b"\n"
        done = subprocess.run([program], input=sent, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        return "crash"
    replies = list(outcomes(done.stdout))
    if done.returncode != 0 or ("result", 999) not in replies[-1:]:
        return "crash"
    replies = replies[:-1]
    if (None, None) in replies:
        return "broken reply"
    for rule in allowed:
        if rule == "none" and not replies:
            return None
        kind, _, wanted = rule.partition(" ")
        is_wanted = [kind == got and (wanted == "?" or exact(wanted) == id) for got, id in replies]
        if is_wanted == [True]:
            return None
    kind, _, wanted = allowed[0].partition(" ")
    if not replies:
        return "caller waits"
    if kind == "none":
        return "reply not owed"
    if kind == "error" and any(got == "result" for got, _ in replies):
        return "accepted"
    if any(id is None for _, id in replies):
        return "caller waits"
    if kind == "result" and all(got == "error" for got, _ in replies):
        return "call fails"
    return "other id"


def print_inputs():
    deep = ping(params=',"params":{"a":' + '[{"a":' * 18 + "[1,2]" + "}]" * 18 + "}")
    print("static const struct { const char *text; unsigned length; } inputs[] = {")
    for line in [line for _, line, _ in CASES] + [deep]:
        line = line if isinstance(line, bytes) else line.encode()
        print('  {"' + "".join(f"\\{byte:03o}" for byte in line) + f'", {len(line)}}},')
    print("};")


def main():
    if sys.argv[1:] == ["--inputs"]:
        print_inputs()
        return
    programs = [argument.partition("=")[::2] for argument in sys.argv[1:]]
    wrong = {name: [judge(program, line, allowed) for _, line, allowed in CASES] for name, program in programs}
    names = list(wrong)
    print(f"| of {len(CASES)} inputs | " + " | ".join(names) + " |")
    print("|---|" + "--:|" * len(names))
    for kind in KINDS:
        print(f"| {kind} | " + " | ".join(str(wrong[name].count(kind)) for name in names) + " |")
    print("| right | " + " | ".join(str(wrong[name].count(None)) for name in names) + " |")
    print()
    print("| input | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for at, (about, _, _) in enumerate(CASES):
        row = [wrong[name][at] for name in names]
        if any(row):
            print(f"| {about} | " + " | ".join(kind or "" for kind in row) + " |")
    sys.exit(any(wrong.get("tautline", [])))


main()
