"""Every kind of file that is kept on disk, or read from a release or a user: declared once."""

from . import collections, given, kept

KINDS = (*collections.KINDS, *kept.KINDS, *given.KINDS)
