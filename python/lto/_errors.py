"""The exceptions. Their texts are those that the program ``lto`` prints; flags named there are keywords here."""


class Error(Exception):
    """Everything that goes wrong in ``lto``."""


class ConfigError(Error, ValueError):
    """A setting, option or parameter that makes no sense."""


class DataError(Error, ValueError):
    """Arrays, observations, times or queries that are not what they should be."""


class FileError(Error, OSError):
    """A file or folder that is missing, damaged, or may not be replaced."""


class UnsupportedError(Error, NotImplementedError):
    """Something that this kind of model, or of file, cannot do."""
