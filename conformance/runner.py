#!/usr/bin/env python3
"""A small runner for servers:

python3 runner.py REVISION COMMAND [ARGUMENT]...    over stdio
python3 runner.py REVISION --url URL                over Streamable HTTP

It shows how little a runner of the corpus needs. Each case gets a process or a session of its own, and nothing limits
the whole.
"""

import base64
import json
import pathlib
import queue
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse


class Number(str):
    """The text of a number, because 1.0 is not 1."""


def parse(line):
    return json.loads(line, parse_int=Number, parse_float=Number)


def id_of(response):
    value = response.get("id", Number("none"))
    return str(value) if isinstance(value, Number) else json.dumps(value)


def bytes_of(step):
    if "base64" in step:
        return base64.b64decode(step["base64"])
    if "text" in step:
        return step["text"].encode()
    if "repeat" in step:
        return step["repeat"]["text"].encode() * step["repeat"]["count"]
    return "".join(numbers(step["numbered"]["text"], step["numbered"]["count"])).encode()


def numbers(text, count):
    return (text.replace("{N}", str(number)) for number in range(1, count + 1))


def written_out(answers):
    for answer in answers:
        if "numbered" in answer:
            for one in numbers(answer["numbered"]["id"], answer["count"]):
                yield {**answer["numbered"], "id": one}
        else:
            yield answer


def leads(value, pointer):
    for key in pointer.split("/")[1:]:
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value is not None


def fits(seen, expected):
    if isinstance(seen, list) or "batch" in expected:
        is_batch = isinstance(seen, list) and "batch" in expected
        return is_batch and matches(seen, expected["batch"], [])
    if ("result" in seen) == ("error" in seen) or ("result" in seen) != ("result" in expected):
        return False
    codes = expected.get("error")
    if codes and int(seen["error"]["code"]) not in codes:
        return False
    wanted = expected["id"]
    wanted = json.dumps(json.loads(wanted)) if wanted.startswith('"') else wanted
    return id_of(seen) == wanted and all(leads(seen, pointer) for pointer in expected.get("has", []))


def matches(seen, answers, also):
    left = list(seen)
    for expected in written_out(answers):
        found = next((index for index, one in enumerate(left) if fits(one, expected)), None)
        if found is None:
            return False
        left.pop(found)
    return all(any(fits(one, expected) for expected in also) for one in left)


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def wait(self, identifier, seconds):
        """Collects responses until one has this id. Requests and notifications of the server do not count."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                message = parse(self.lines.get(timeout=0.02))
            except queue.Empty:
                continue
            if isinstance(message, list) or "method" not in message:
                self.seen.append(message)
                if isinstance(message, dict) and id_of(message) == identifier:
                    return message
        return {}

    def play(self, steps):
        for step in steps:
            if "pause_ms" in step:
                time.sleep(step["pause_ms"] / 1000)
            elif "await" in step:
                self.wait(step["await"], 2)
            elif "close" in step:
                self.process.stdin.close()
            else:
                self.process.stdin.write(bytes_of(step))


def judge(server, case, session):
    if case.get("opening") != "fresh":
        server.play(session["open"])
        server.seen.clear()
    server.play(case["steps"])
    ending = None
    if case.get("survival") != "none":
        server.play([{"text": session["survival"].replace("{ID}", '"survival"')}])
        if "result" not in server.wait('"survival"', 30):
            return "wrong"
        server.seen.pop()
    elif "close" in case["steps"][-1]:
        code = server.process.wait(30)
        ending = "success" if code == 0 else "exit" if code > 0 else "signal"
    server.wait("nothing", 0.1)
    for outcome in case["outcomes"]:
        ends = outcome.get("ending", ending) == ending or (outcome["ending"] == "exit" and ending == "success")
        if ends and matches(server.seen, outcome.get("answers", []), outcome.get("also", [])):
            return outcome["verdict"]
    return "wrong"


class Connection:
    """A connection over HTTP. A thread reads, because a server may answer before it has read the whole request."""

    def __init__(self, url, fill):
        self.socket = socket.create_connection((url.hostname, url.port or 80), 10)
        self.socket.settimeout(None)
        self.fill, self.received, self.is_closed = fill, b"", False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while piece := self.socket.recv(65536):
                self.received += piece
        except OSError:
            pass
        self.is_closed = True

    def play(self, steps):
        for step in steps:
            try:
                if "pause_ms" in step:
                    time.sleep(step["pause_ms"] / 1000)
                elif "await" in step:
                    self.wait(lambda: has(self.replies(), step["await"]), 2)
                elif "close" in step:
                    self.socket.shutdown(socket.SHUT_WR)
                else:
                    self.socket.sendall(self.fill(bytes_of(step)))
            except OSError:
                return  # The server has closed the connection. What it has sent can still be read.

    def wait(self, holds, seconds):
        end = time.monotonic() + seconds
        while not holds() and time.monotonic() < end and not self.is_closed:
            time.sleep(0.01)

    def replies(self):
        """Returns the responses so far. The last one may be incomplete."""
        replies, rest = [], self.received
        while rest:
            head, separator, rest = rest.partition(b"\r\n\r\n")
            if not separator:
                break
            first, *lines = head.decode("latin-1").split("\r\n")
            status = int(re.fullmatch(r"HTTP/1\.\d (\d{3})(?: .*)?", first)[1])
            headers = {}
            for name, _, value in (line.partition(":") for line in lines):
                headers[name.lower()] = ",".join(filter(None, [headers.get(name.lower()), value.strip()]))
            if 100 <= status < 200:
                continue
            body, rest, is_whole = body_of(status, headers, rest, self.is_closed)
            replies.append({"status": status, "headers": headers, "body": body, "whole": is_whole})
        return replies


def body_of(status, headers, rest, is_closed):
    """Returns the body so far, what follows it, and whether it is whole."""
    if status in (204, 304):
        return b"", rest, True
    if headers.get("transfer-encoding", "").lower().endswith("chunked"):
        body = b""
        while b"\r\n" in rest:
            size, _, data = rest.partition(b"\r\n")
            size = int(size.split(b";")[0], 16)
            if size == 0:
                return body, data.partition(b"\r\n")[2], True
            body, rest = body + data[:size], data[size + 2 :]
            if len(data) < size + 2:
                break
        return body, b"", False
    if "content-length" in headers:
        length = int(headers["content-length"])
        return rest[:length], rest[length:], len(rest) >= length
    return rest, b"", is_closed


def messages_of(reply):
    """Returns the messages in a body: one, or one for each event."""
    kind = reply["headers"].get("content-type", "").split(";")[0].strip().lower()
    text = reply["body"].decode("utf-8", "replace")
    if kind == "application/json":
        return [parse(text)] if reply["whole"] and text.strip() else []
    if kind != "text/event-stream":
        return []
    events = re.split(r"\n\n+", text.replace("\r\n", "\n").replace("\r", "\n"))[:-1]
    data = ("\n".join(line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")) for event in events)
    return [parse(one) for one in data if one.strip()]


def responses_in(reply):
    try:
        messages = messages_of(reply)
    except ValueError:
        return None
    return [one for one in messages if isinstance(one, list) or isinstance(one, dict) and ("result" in one or "error" in one)]


def has(replies, identifier):
    found = (one for reply in replies for one in responses_in(reply) or [] if isinstance(one, dict))
    return any(id_of(one) == identifier for one in found)


def is_complete(connection, expected):
    try:
        return sum(one["whole"] for one in connection.replies()) >= expected
    except (TypeError, ValueError):
        return True


def reply_fits(seen, expected):
    if seen["status"] not in expected["status"] or (expected.get("empty") and seen["body"]):
        return False
    for name, value in expected.get("headers", {}).items():
        elements = [one.strip().lower() for one in re.split("[,;]", seen["headers"].get(name, ""))]
        if name not in seen["headers"] or (value and value not in elements):
            return False
    if "answers" not in expected:
        return True
    found = responses_in(seen)
    return not found if not expected["answers"] else found is not None and matches(found, expected["answers"], [])


class Http:
    """A session with a server over HTTP."""

    def __init__(self, url, revision, script):
        self.text, self.url, self.revision, self.script, self.id = url, urllib.parse.urlsplit(url), revision, script, None

    def open(self):
        for step in (step for step in self.script["open"] if "text" in step):
            connection = self.connect()
            connection.play([step])
            connection.wait(lambda: any(one["whole"] for one in connection.replies()), 5)
            self.id = self.id or connection.replies()[0]["headers"].get("mcp-session-id")

    def connect(self):
        return Connection(self.url, self.fill)

    def fill(self, data):
        path = (self.url.path or "/") + ("?" + self.url.query if self.url.query else "")
        origin = f"{self.url.scheme}://{self.url.netloc}"
        session = f"Mcp-Session-Id: {self.id}\r\n" if self.id else ""
        values = {"HOST": self.url.netloc, "PATH": path, "URL": origin + path, "ORIGIN": origin, "REVISION": self.revision, "SESSION": session, "SESSIONID": self.id or ""}
        for name, value in values.items():
            data = data.replace(b"{%s}" % name.encode(), value.encode())
        return data

    def survives(self):
        head, _, body = self.script["survival"].partition("\r\n\r\n")
        body = body.replace("{ID}", '"survival"')
        connection = self.connect()
        connection.play([{"text": head.replace("{LENGTH}", str(len(body))) + "\r\n\r\n" + body}])
        connection.wait(lambda: has(connection.replies(), '"survival"'), 10)
        replies = connection.replies()
        found = responses_in(replies[0]) if replies else None
        return bool(found) and replies[0]["status"] == 200 and "result" in found[0]

    def judge(self, case):
        other = Http(self.text, self.revision, self.script)
        other.open()
        if case.get("needs") == "session-id" and not other.id:
            return "skipped"
        if case.get("opening") != "fresh":
            self.open()
        connection = self.connect()
        connection.play(case["steps"])
        expected = max(len(outcome["replies"]) for outcome in case["outcomes"])
        is_right = lambda: self.verdict(case, connection) == "right"
        connection.wait(lambda: is_right() or is_complete(connection, expected), 5)
        # A server may be about to close the connection. Idle ones are closed later.
        connection.wait(is_right, 1)
        time.sleep(0.05)
        verdict = self.verdict(case, connection)
        return verdict if other.survives() else "wrong"

    def verdict(self, case, connection):
        try:
            seen = connection.replies()
        except (TypeError, ValueError):
            return "wrong"
        for outcome in case["outcomes"]:
            ends = "ending" not in outcome or connection.is_closed
            if ends and len(seen) == len(outcome["replies"]) and all(map(reply_fits, seen, outcome["replies"])):
                return outcome["verdict"]
        return "wrong"


def over_http(revision, url):
    corpus = pathlib.Path(__file__).parent / "http"
    script = json.loads((corpus / "sessions.json").read_text())[revision]
    for file in sorted((corpus / "cases").glob("*.json")):
        for case in json.loads(file.read_text())["cases"]:
            if revision in case["revisions"] and case.get("role") != "client":
                try:
                    verdict = Http(url, revision, script).judge(case)
                except (OSError, TypeError, ValueError, IndexError):
                    verdict = "wrong"
                print(f"{verdict:10} {case['id']}", flush=True)


def main(revision, *command):
    if command[0] == "--url":
        return over_http(revision, command[1])
    corpus = pathlib.Path(__file__).parent
    session = json.loads((corpus / "sessions.json").read_text())[revision]
    for file in sorted((corpus / "cases").glob("*.json")):
        for case in json.loads(file.read_text())["cases"]:
            if revision not in case["revisions"] or case.get("role") == "client":
                continue
            server = Server(command)
            try:
                verdict = judge(server, case, session)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                verdict = "wrong"
            finally:
                server.process.kill()
            print(f"{verdict:10} {case['id']}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or (sys.argv[2] == "--url" and len(sys.argv) < 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
