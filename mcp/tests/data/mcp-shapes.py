"""Writes mcp/src/shape/shapes.txt anew, out of a directory that has the schema of each revision as <revision>.json.

Usage: python3 mcp/tests/data/mcp-shapes.py DIRECTORY
"""

import json
import re
import sys
from pathlib import Path

HEADER = """\
# The shapes of MCP's payloads in all revisions, written by mcp/tests/data/mcp-shapes.py from the schema.json of each
# revision in github.com/modelcontextprotocol/modelcontextprotocol.
#
# object NAME              the members of an object, one a line; other members are allowed
#     NAME: TYPE           a member; "!" after the name marks a required one
#     *: TYPE              every member without a line of its own
# type NAME = TYPE         another name for a type
# request METHOD           its params and its result
# notification METHOD      its params
# error CODE               its data
#
# TYPE    any, null, boolean, integer, number, string, array, object, "a constant", the NAME of an object or type,
#         [TYPE] an array, {TYPE} an object whose members all have this type, TYPE | TYPE one of these
# (m..n)  a range: of the value of a number, or of the number of elements of an array
# string:uri, string:uri-template, string:byte: a URI, a template of URIs, Base64
# string:root-uri, string:icon-uri, string:media-type, string:tool-name, string:timestamp, string:last-modified: what the
# text of the specification demands, and the schemas do not express
#
# The members of every _meta have names with the syntax that basic, _meta describes, from 2025-06-18 on.
#
# A line ends with the revisions in which it holds, if these are not all, or for a member not all those of its object:
# @2025-06-18.. from this one on, @..2025-03-26 up to this one.
"""

# Where the schemas say something else than the specification and its schema.ts, from which they are generated.
# Each is (definition, path to the member, the type), with the revisions from and up to which it holds.
CORRECTIONS = [
    # schema.ts: `string | number | boolean`, and a form may ask for a "number".
    ("ElicitResult", ["content", "*"], "string | number | boolean", "", "2025-06-18"),
    # schema.ts: `string | number | boolean | string[]`.
    ("ElicitResult", ["content", "*"], "[string] | string | number | boolean", "2025-11-25", "9"),
    # schema.ts: `number`, for a field whose type may be "number".
    ("NumberSchema", ["default"], "number", "", "9"),
    ("NumberSchema", ["minimum"], "number", "", "9"),
    ("NumberSchema", ["maximum"], "number", "", "9"),
    # "Must not exceed 100 items", which is `maxItems` since 2026-07-28.
    ("CompleteResult", ["completion", "values"], "[string](..100)", "", "2025-11-25"),
    # schema.ts: `ResultType`, "complete" or "input_required"; this result is the latter (patterns, multi round-trip
    # requests).
    ("InputRequiredResult", ["resultType"], '"input_required"', "", "9"),
]

# The syntax of strings that the text of the specification describes: (definition or None for all, member, syntax), with
# the revisions from and up to which it holds.
SYNTAX = [
    ("Root", "uri", "root-uri", "", "9"),
    ("Icon", "src", "icon-uri", "", "9"),
    (None, "mimeType", "media-type", "", "9"),
    ("Tool", "name", "tool-name", "2025-11-25", "9"),
    (None, "createdAt", "timestamp", "", "9"),
    (None, "lastUpdatedAt", "timestamp", "", "9"),
    (None, "lastModified", "last-modified", "", "9"),
]

# Definitions that allow any value, or any object or array.
FREE = {"JSONValue": "any", "JSONObject": "object", "JSONArray": "array"}

# The results of requests that have no definition of their own.
EMPTY_RESULTS = {"PingRequest", "SubscribeRequest", "UnsubscribeRequest", "SetLevelRequest"}

# The unions of the messages that peers send.
MESSAGES = ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"]

# Objects without a definition of their own that equal one, in this or another revision.
SAME = {
    "PingRequestParams": "RequestParams",
    "ListRootsRequestParams": "RequestParams",
    "ListPromptsRequestParams": "PaginatedRequestParams",
    "ListResourcesRequestParams": "PaginatedRequestParams",
    "ListResourceTemplatesRequestParams": "PaginatedRequestParams",
    "ListToolsRequestParams": "PaginatedRequestParams",
    "InitializedNotificationParams": "NotificationParams",
    "PromptListChangedNotificationParams": "NotificationParams",
    "ResourceListChangedNotificationParams": "NotificationParams",
    "RootsListChangedNotificationParams": "NotificationParams",
    "ToolListChangedNotificationParams": "NotificationParams",
    "ListRootsRequest.params": "NotificationParams",
    "ElicitRequestFormParams._meta": "RequestMetaObject",
    "ElicitRequestURLParams._meta": "RequestMetaObject",
    "ElicitRequestParams.requestedSchema": "RequestedSchema",
    "ElicitRequestFormParams.requestedSchema": "RequestedSchema",
}

# Requests that may be carried out as a task in 2025-11-25 (utilities, tasks).
TASKS = {"CallToolRequest", "CreateMessageRequest", "ElicitRequest"}


class Revision:
    """The definitions of one revision that are used, by name, as (kind, content)."""

    def __init__(self, name, schema):
        self.name = name
        self.schema = schema["$defs"] if "$defs" in schema else schema["definitions"]
        self.shapes = {}
        self.roots = {}
        self.corrected = set()
        self.methods()
        self.errors()

    def methods(self):
        for name in sorted(self.messages()):
            properties = self.schema[name]["properties"]
            method = properties["method"]["const"]
            params = None
            if "params" in properties:
                params = self.type_of(self.with_meta(properties["params"], name), name + "Params", [])
            if name.endswith("Request"):
                self.roots["request", method] = (params, self.result_of(name))
            else:
                self.roots["notification", method] = (params, None)

    def with_meta(self, params, name):
        """Adds the _meta of all requests, or of all notifications: up to 2025-06-18 the schemas repeat it in few."""
        base = self.schema.get("Request" if name.endswith("Request") else "Notification", {})
        meta = base.get("properties", {}).get("params", {}).get("properties", {}).get("_meta")
        if meta is None or "_meta" in params.get("properties", {"_meta": {}}):
            return params
        return params | {"properties": {"_meta": meta} | params["properties"]}

    def messages(self):
        for union in MESSAGES:
            if union not in self.schema:
                continue
            for part in self.schema[union].get("anyOf", []):
                yield part["$ref"].rsplit("/", 1)[1]
            if "anyOf" not in self.schema[union]:
                method = self.schema[union]["properties"]["method"]
                yield next(
                    name
                    for name, definition in self.schema.items()
                    if name not in MESSAGES and definition.get("properties", {}).get("method") == method
                )

    def result_of(self, request):
        stem = request.removesuffix("Request")
        response = self.schema.get(stem + "ResultResponse")
        if response and "properties" in response:
            result = self.type_of(response["properties"]["result"], stem + "Result", [])
        elif request in EMPTY_RESULTS:
            result = self.reference("Result")
        elif stem + "Result" in self.schema:
            result = self.reference(stem + "Result")
        else:
            raise KeyError(f"no result of {request}")
        if request in TASKS and "CreateTaskResult" in self.schema:
            result += " | " + self.reference("CreateTaskResult")
        return result

    def errors(self):
        for name, definition in sorted(self.schema.items()):
            for part in definition.get("properties", {}).get("error", {}).get("allOf", []):
                properties = part.get("properties", {})
                if "data" in properties:
                    code = properties["code"]["const"]
                    self.roots["error", str(code)] = (self.type_of(properties["data"], name + "Data", []), None)

    def reference(self, name):
        if name in FREE:
            return FREE[name]
        if name not in self.shapes:
            self.shapes[name] = None
            definition = self.schema[name]
            if "allOf" in definition:
                definition = self.merged(definition["allOf"])
            if is_object(definition):
                self.object(name, definition, name, [])
            else:
                self.shapes[name] = ("type", self.type_of(definition, name, [], name))
        return name if self.shapes[name] != ("type", "object") else "object"

    def merged(self, parts):
        merged = {"type": "object", "properties": {}, "required": []}
        for part in parts:
            if "$ref" in part:
                part = self.schema[part["$ref"].rsplit("/", 1)[1]]
            merged["properties"] |= part.get("properties", {})
            merged["required"] += part.get("required", [])
        return merged

    def object(self, name, schema, owner, path):
        """Records an object under a name."""
        required = set(schema.get("required", []))
        members = {}
        for member, value in schema.get("properties", {}).items():
            inner = path + [member]
            inline = f"{name}.{member}"
            if member == "_meta" and name.endswith("RequestParams"):
                inline = "RequestMetaObject"
            elif member == "annotations":
                inline = "Annotations"
            members[member] = (member in required, self.type_of(value, inline, inner, owner))
        rest = schema.get("additionalProperties")
        if rest not in (None, {}, True):
            members["*"] = (False, self.type_of(rest, name + ".*", path + ["*"], owner))
        # Objects that share a name are equal.
        known = self.shapes.get(name)
        assert known in (None, ("object", members)), (self.name, name, known, members)
        self.shapes[name] = ("object", members)
        assert required <= set(members), (name, required)

    def type_of(self, schema, name, path, owner=None):
        for correction in CORRECTIONS:
            definition, place, corrected, first, last = correction
            if owner == definition and path == place and first <= self.name <= last:
                self.corrected.add(CORRECTIONS.index(correction))
                return corrected
        unknown = set(schema) - {
            "$ref", "type", "properties", "required", "additionalProperties", "items", "anyOf", "const", "enum",
            "minimum", "maximum", "maxItems", "format", "description", "default", "title",
        }
        assert not unknown, (name, unknown)
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[1])
        if "anyOf" in schema:
            parts = [self.type_of(part, f"{name}.{i}", path, owner) for i, part in enumerate(schema["anyOf"])]
            return " | ".join(parts)
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(json.dumps(value) for value in schema["enum"])
        kinds = schema.get("type")
        if kinds is None:
            return "any"
        if isinstance(kinds, list):
            return " | ".join(kinds)
        if kinds == "array":
            items = schema.get("items", {})
            most = f"(..{schema['maxItems']})" if "maxItems" in schema else ""
            return f"[{self.type_of(items, name + '.item', path + ['[]'], owner)}]{most}"
        if kinds == "object":
            if schema.get("properties"):
                name = SAME.get(name, name)
                self.object(name, schema, owner, path)
                return name
            rest = schema.get("additionalProperties")
            if rest in (None, {}, True):
                return "object"
            return f"{{{self.type_of(rest, name + '.*', path + ['*'], owner)}}}"
        if "minimum" in schema or "maximum" in schema:
            return f"{kinds}({schema.get('minimum', '')}..{schema.get('maximum', '')})"
        for definition, member, syntax, first, last in SYNTAX:
            if definition in (None, owner) and path[-1:] == [member] and first <= self.name <= last:
                assert kinds == "string", (name, kinds)
                return f"string:{syntax}"
        if "format" in schema:
            return f"{kinds}:{schema['format']}"
        return kinds


def is_object(schema):
    free = not schema.get("properties") and schema.get("additionalProperties") in (None, {}, True)
    return schema.get("type") == "object" and not free


def revisions_text(having, among):
    """The revisions of a line, as a suffix."""
    if having == among:
        return ""
    runs = []
    for revision in among:
        if revision not in having:
            runs.append(None)
        elif runs and runs[-1]:
            runs[-1][1] = revision
        else:
            runs.append([revision, revision])
    runs = [run for run in runs if run]
    texts = []
    for first, last in runs:
        start = "" if first == among[0] else first
        end = "" if last == among[-1] else last
        texts.append(first if first == last and start and end else f"{start}..{end}")
    return "  @" + ",".join(texts)


def lines_of(found, names):
    """Lines and the revisions in which they hold, by the name that they begin with, the oldest first."""
    lines = {}
    for revision in names:
        for line in found.get(revision, []):
            lines.setdefault(line, []).append(revision)
    by_name = lambda item: item[0].split(": ")[0].rstrip("!") if ": " in item[0] else ""
    return dict(sorted(lines.items(), key=by_name))


def main():
    directory = Path(sys.argv[1])
    revisions = [Revision(path.stem, json.loads(path.read_text())) for path in sorted(directory.glob("*.json"))]
    corrected = set().union(*(revision.corrected for revision in revisions))
    assert len(corrected) == len(CORRECTIONS), f"not corrected: {CORRECTIONS}, {corrected}"
    names = [revision.name for revision in revisions]
    out = [HEADER]

    for kind in ["request", "notification", "error"]:
        keys = {key for revision in revisions for key in revision.roots if key[0] == kind}
        for key in sorted(keys):
            having = [revision.name for revision in revisions if key in revision.roots]
            found = {}
            for revision in revisions:
                if key in revision.roots:
                    params, result = revision.roots[key]
                    label = "data" if kind == "error" else "params"
                    lines = found.setdefault(revision.name, [])
                    if params:
                        lines.append(f"{label}: {params}")
                    if result:
                        lines.append(f"result: {result}")
            out.append(f"{kind} {key[1]}{revisions_text(having, names)}")
            for line, those in lines_of(found, having).items():
                out.append(f"    {line}{revisions_text(those, having)}")
            out.append("")

    shapes = {name for revision in revisions for name in revision.shapes if revision.shapes[name]}
    for name in sorted(shapes):
        for kind in ["object", "type"]:
            of_kind = {
                revision.name: revision.shapes[name][1]
                for revision in revisions
                if revision.shapes.get(name, (None,))[0] == kind
            }
            if not of_kind or (kind == "type" and set(of_kind.values()) == {"object"}):
                continue
            having = list(of_kind)
            if kind == "object":
                out.append(f"object {name}{revisions_text(having, names)}")
                found = {
                    revision: [f"{member}{'!' if needed else ''}: {of}" for member, (needed, of) in members.items()]
                    for revision, members in of_kind.items()
                }
                for line, those in lines_of(found, having).items():
                    out.append(f"    {line}{revisions_text(those, having)}")
            else:
                lines = lines_of({revision: [of] for revision, of in of_kind.items()}, having)
                for line, those in lines.items():
                    out.append(f"type {name} = {line}{revisions_text(those, names)}")
            out.append("")
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"
    (Path(__file__).parent / "../../src/shape/shapes.txt").write_text(text)


if __name__ == "__main__":
    main()
