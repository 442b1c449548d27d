"""Reads the reports of `tautline audit` with independent readers: SARIF against its schema and with sarif-tools, JUnit with
junitparser.

Usage: python3 readers.py <folder of reports> <folder to keep downloads in>
"""

import json
import sys
import tarfile
import urllib.request
from pathlib import Path

from jsonschema import validators
from junitparser import JUnitXml
from sarif import loader

# A crate that ships the schema of SARIF.
CRATE = "serde-sarif-0.8.0"


def main() -> None:
    reports, kept = map(Path, sys.argv[1:])
    sarif_schema = schema(kept)
    validator = validators.validator_for(sarif_schema)(sarif_schema)
    results = sum(read_sarif(path, validator) for path in sorted(reports.glob("*.sarif")))
    cases = sum(read_junit(path) for path in sorted(reports.glob("*.xml")))
    assert results > 50 and cases > 500, (results, cases)
    print(f"reports: {results} results in SARIF, {cases} test cases in JUnit")


def read_sarif(path: Path, validator) -> int:
    """Returns the number of results."""
    log = json.loads(path.read_text())
    errors = [error.message for error in validator.iter_errors(log)]
    assert not errors, (path, errors[:3])
    count = loader.load_sarif_file(str(path)).get_result_count()
    assert count == len(log["runs"][0]["results"]), path
    return count


def read_junit(path: Path) -> int:
    """Returns the number of test cases."""
    suites = list(JUnitXml.fromfile(str(path)))
    assert [suite.name for suite in suites] == ["audits", "requirements", "rules"], path
    return sum(suite.tests for suite in suites)


def schema(kept: Path) -> dict:
    """Returns the schema of SARIF."""
    crate = kept / f"{CRATE}.crate"
    if not crate.exists():
        with urllib.request.urlopen(f"https://static.crates.io/crates/serde-sarif/{CRATE}.crate") as answer:
            content = answer.read()
        # Renamed at the end, so that a part of it is never kept.
        part = crate.with_suffix(".part")
        part.write_bytes(content)
        part.rename(crate)
    with tarfile.open(crate) as files:
        return json.load(files.extractfile(f"{CRATE}/src/schema.json"))


if __name__ == "__main__":
    main()
