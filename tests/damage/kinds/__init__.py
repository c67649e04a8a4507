"""All kinds of files that the package stores, or reads from releases and users."""

from . import collections, given, kept

KINDS = (*collections.KINDS, *kept.KINDS, *given.KINDS)
