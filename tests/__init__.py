"""Tests mirror the packages; what crosses them has a folder of its own."""
