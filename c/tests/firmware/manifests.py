"""Checks the manifests of the folder for firmware with the tools of ESP-IDF, PlatformIO and Zephyr."""

import subprocess
import sys
from pathlib import Path

import kconfiglib
from platformio.package.manifest import schema
from platformio.package.manifest.parser import ManifestParserFactory
from ruamel.yaml import YAML

folder = Path(sys.argv[1])

# ESP-IDF: the linter of the component manager.
subprocess.run([Path(sys.executable).parent / "compote", "manifest", "lint", folder], check=True)

# PlatformIO: its own schema. It would fetch the list of licences from the network.
licences = {"licenses": [{"licenseId": "MIT"}, {"licenseId": "Apache-2.0"}]}
schema.ManifestSchema.load_spdx_licenses = staticmethod(lambda: licences)
manifest = ManifestParserFactory.new_from_file(str(folder / "library.json")).as_dict()
schema.ManifestSchema().load_manifest(manifest)
if not (folder / manifest["build"]["extraScript"]).is_file():
    sys.exit("library.json names a script that is not there")

# Zephyr: module.yml names files that are there, and the option depends on the processor.
build = YAML(typ="safe").load(folder / "zephyr/module.yml")["build"]
if not (folder / build["cmake"] / "CMakeLists.txt").is_file():
    sys.exit("module.yml names a folder without CMakeLists.txt")
options = "".join(f"config {name}\n\tbool\n\tdefault {value}\n" for name, value in
                  {"CPU_CORTEX_M": "$(arm)", "RISCV": "n", "64BIT": "n", "ARCH_POSIX": "n"}.items())
for arm in "y", "n":
    kconfig = folder.parent / "Kconfig"
    kconfig.write_text(f"arm := {arm}\n{options}source \"{folder / build['kconfig']}\"\n")
    option = kconfiglib.Kconfig(str(kconfig)).syms["TAUTLINE"]
    option.set_value("y")
    if option.str_value != arm:
        sys.exit(f"CONFIG_TAUTLINE is {option.str_value} where CPU_CORTEX_M is {arm}")
