"""Measures how strong the levels are; `python -m benchmarks.strength --help` tells how to ask."""
