"""The error of a result file."""


class BadRecord(Exception):
    """A result file that cannot be used; the message names the file, the line and a remedy."""
