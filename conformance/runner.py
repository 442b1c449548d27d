#!/usr/bin/env python3
"""A small runner for servers: python3 runner.py REVISION COMMAND [ARGUMENT]...

It shows how little a runner of the corpus needs. Each case gets a process of its own, and nothing limits the whole.
"""

import base64
import json
import pathlib
import queue
import subprocess
import sys
import threading
import time


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


def main(revision, *command):
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
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
