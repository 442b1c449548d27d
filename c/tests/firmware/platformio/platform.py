"""A platform for PlatformIO whose compiler is installed already."""

from platformio.public import PlatformBase


class Debian_armPlatform(PlatformBase):
    """PlatformIO expects this name."""
