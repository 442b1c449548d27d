"""Builds a program with Debian's compiler for Arm."""

from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
tool = "arm-none-eabi-{}".format
env.Replace(
    AR=tool("gcc-ar"),
    AS=tool("as"),
    CC=tool("gcc"),
    CXX=tool("g++"),
    RANLIB=tool("gcc-ranlib"),
    SIZETOOL=tool("size"),
)
machine = ["-mthumb", "-mcpu=" + env.BoardConfig().get("build.cpu")]
env.Append(
    CCFLAGS=[*machine, "-Os", "-ffreestanding", "-ffunction-sections", "-fdata-sections"],
    LINKFLAGS=[*machine, "-nostdlib", "-Wl,--gc-sections,--entry=start,--no-warn-execstack"],
)
Default(env.BuildProgram())
