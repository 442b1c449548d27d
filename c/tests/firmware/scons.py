"""Gives PlatformIO the SCons of this Python. It would otherwise fetch its own from a registry."""

import json
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

import SCons
from platformio.dependencies import get_core_dependencies

NAME = "tool-scons"
MAIN = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from SCons.Script import main

main()
"""

folder = Path(sys.argv[1]) / "packages" / NAME
shutil.copytree(Path(SCons.__file__).parent, folder / "SCons")
(folder / "scons.py").write_text(MAIN)
# PlatformIO numbers SCons in its own way, such as 4.41101 for 4.11.1.
wanted = get_core_dependencies()[NAME].lstrip("~")
major, minor, patch = version("scons").split(".")[:3]
if wanted != f"{major}.{int(major)}{int(minor):02}{int(patch):02}.0":
    sys.exit(f"PlatformIO wants {NAME} {wanted}, which is not SCons {version('scons')}")
spec = {"owner": "platformio", "id": None, "name": NAME, "requirements": None, "uri": None}
(folder / "package.json").write_text(json.dumps({"name": NAME, "version": wanted}))
(folder / ".piopm").write_text(json.dumps({"type": "tool", "name": NAME, "version": wanted, "spec": spec}))
