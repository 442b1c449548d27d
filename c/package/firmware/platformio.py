"""Links a program of PlatformIO with the library for its compiler, by the table in target.c."""

import subprocess
from pathlib import Path

from SCons.Script import DefaultEnvironment, Exit, Import

Import("env")  # noqa: F821 (PlatformIO defines it)
ROOT = Path.cwd()
LIBRARY = "libtautline_c.a"


def target(env):
    """Returns the name of the target that the environment compiles for."""
    flags = env.subst("$CFLAGS $CCFLAGS").split()
    machine = [flag for flag in flags if flag.startswith(("-m", "--target"))]
    command = [env.subst("$CC"), *machine, "-E", "-P", str(ROOT / "target.c")]
    result = subprocess.run(command, env=env["ENV"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(result.stderr)
    return result.stdout.strip()


def library(env):
    """Returns the library that the environment links."""
    name = env.GetProjectOption("custom_tautline_target", None) or target(env)
    path = ROOT / "lib" / name / LIBRARY
    if not name or not path.is_file():
        names = ", ".join(sorted(path.name for path in (ROOT / "lib").iterdir()))
        print(f"tautline: there is no library for {name or 'this processor'}, only for: {names}")
        Exit(1)
    return path


# The library goes to the linker by its path, for its file name may differ from what -l expects.
env.Append(LIBS=[env.File(str(library(DefaultEnvironment())))])  # noqa: F821
