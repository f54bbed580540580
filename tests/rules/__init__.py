"""The rules, one module a file."""
