"""Writes pages.tsv, given the checkouts of the two repositories that its header names.

Usage: python3 mcp/tests/it/session_dialogues/pages.py SPECIFICATION TASKS >tests/it/session_dialogues/pages.tsv
"""

import json
import re
import sys
from html import unescape
from pathlib import Path

HEADER = """\
# The sequence diagrams and the examples of the specification, written by pages.py on 2026-11-22 from
# github.com/modelcontextprotocol/modelcontextprotocol and github.com/modelcontextprotocol/ext-tasks.
#
# diagram, revision, page, number on the page, ways through it (each alternative, option and loop adds one), heading
# example, revision, page, number on the page, the kind of message ("part" if it is not a message), heading
"""

REVISIONS = ["2025-11-25", "2026-07-28"]
EXAMPLES = {"json", "jsonc", "jsonl", "http"}


def fences(text):
    """Each fenced block of a page: its language, its text and the heading above it."""
    heading, language, lines = "-", None, []
    for line in text.splitlines():
        fence = re.match(r"\s*```(\w*)", line)
        if language is None:
            if fence:
                language, lines = fence.group(1) or "text", []
            elif title := re.match(r"#+ (.*)", line):
                heading = title.group(1)
        elif fence:
            yield language, "\n".join(lines), heading
            language = None
        else:
            lines.append(line)


def ways(diagram):
    """The number of ways to go through a sequence diagram, without their combinations."""
    words = [line.split()[0] for line in diagram.splitlines() if line.split()]
    alternatives = max(words.count("alt"), words.count("else"))
    return 1 + alternatives + words.count("opt") + words.count("loop")


def kind_of(text):
    """The kind of message that an example is."""
    body = text.partition("\n\n")[2] if re.match(r"[A-Z]+ ", text) else text
    body = re.sub(r"(^|\s)//.*", "", body).replace("[...]", "[]")
    body = re.sub(r",(\s*[}\]])", r"\1", body)
    try:
        message = json.loads(body)
    except json.JSONDecodeError:
        return "part"
    if not isinstance(message, dict) or "jsonrpc" not in message:
        return "part"
    if "method" in message:
        # "..." stands for any method.
        method = message["method"].removeprefix("...")
        return " ".join(filter(None, ["request" if "id" in message else "notification", method]))
    if "error" in message:
        return f"error {message['error']['code']}"
    return " ".join(["result", *filter(None, [message["result"].get("resultType")])])


def rows_of(page):
    numbers = {"diagram": 0, "example": 0}
    for language, text, heading in fences(page):
        if language == "mermaid" and text.lstrip().startswith("sequenceDiagram"):
            row = "diagram", ways(text)
        elif language in EXAMPLES:
            row = "example", kind_of(text)
        else:
            continue
        numbers[row[0]] += 1
        yield row[0], numbers[row[0]], row[1], heading


def rows_of_schema(page):
    """The schema's page has its examples as HTML."""
    example = r'class="tsd-tag-example">\s*<summary[^>]*>Example: (.*?)<a.*?<code[^>]*>(.*?)</code>'
    for number, (heading, code) in enumerate(re.findall(example, page, re.DOTALL), 1):
        text = unescape(re.sub(r"<[^>]*>", "", code.replace("<br/>", "\n")))
        yield "example", number, kind_of(text), unescape(heading)


def main():
    specification, tasks = Path(sys.argv[1]), Path(sys.argv[2])
    print(HEADER, end="")
    docs = specification / "docs"
    pages = []
    for revision in REVISIONS:
        root = docs / "specification" / revision
        for path in sorted(root.rglob("*.mdx")):
            pages.append((revision, path.relative_to(root).with_suffix("").as_posix(), path))
    pages.append(("2026-07-28", "extensions/tasks/overview", docs / "extensions/tasks/overview.mdx"))
    pages.append(("2026-07-28", "ext-tasks/tasks", tasks / "specification/draft/tasks.md"))
    for revision, name, path in pages:
        read = rows_of_schema if name == "schema" else rows_of
        for kind, number, what, heading in read(path.read_text()):
            print(kind, revision, name, number, what, heading.replace("`", ""), sep="\t")


main()
