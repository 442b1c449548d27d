"""Writes mcp-schema.tsv anew, out of a directory that has the schema of each revision as <revision>.json.

Usage: python3 mcp/tests/data/mcp-schema.py DIRECTORY >mcp/tests/data/mcp-schema.tsv
"""

import json
import sys
from pathlib import Path

HEADER = """\
# What the schemas of MCP say of methods and error codes, written by mcp-schema.py on 2026-11-21 from the
# schema.json of each revision in github.com/modelcontextprotocol/modelcontextprotocol.
#
# method, revision, name, kind, who may send it, whether params are required
# code, revision, code, name of the definition
"""

UNIONS = {
    "ClientRequest": ("request", "client"),
    "ServerRequest": ("request", "server"),
    "ClientNotification": ("notification", "client"),
    "ServerNotification": ("notification", "server"),
}


def definitions_of(schema):
    return schema["$defs"] if "$defs" in schema else schema["definitions"]


def members_of(union, definitions):
    """The definitions in a union; one of a single member is that member, without an anyOf."""
    if "anyOf" not in union:
        return [union]
    return [definitions[member["$ref"].rsplit("/", 1)[1]] for member in union["anyOf"]]


def methods(definitions):
    """Each method with its kind, its senders, and whether params are required."""
    found = {}
    for name, (kind, sender) in UNIONS.items():
        # From 2026-07-28, the server has no requests, and its schema no such union.
        if name not in definitions:
            continue
        for definition in members_of(definitions[name], definitions):
            method = definition["properties"]["method"]["const"]
            params = "required" if "params" in definition["required"] else "optional"
            senders = found.setdefault((method, kind, params), set())
            senders.add(sender)
    assert len(found) == len({method for method, _, _ in found}), "a method has two definitions"
    for (method, kind, params), senders in sorted(found.items()):
        sender = "both" if len(senders) == 2 else senders.pop()
        yield method, kind, sender, params


def code_constants(part):
    """The integers that a definition has for a constant `code`, wherever it is."""
    if isinstance(part, list):
        for element in part:
            yield from code_constants(element)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name == "code" and isinstance(value, dict) and isinstance(value.get("const"), int):
                yield value["const"]
            yield from code_constants(value)


def main():
    print(HEADER, end="")
    paths = sorted(Path(sys.argv[1]).glob("????-??-??.json"))
    for path in paths:
        definitions = definitions_of(json.loads(path.read_text()))
        for row in methods(definitions):
            print("method", path.stem, *row, sep="\t")
        for name, definition in sorted(definitions.items()):
            for code in code_constants(definition):
                print("code", path.stem, code, name, sep="\t")


main()
