"""Strings: sentence splitting."""
