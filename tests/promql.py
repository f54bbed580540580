"""Reads which metrics and labels a PromQL expression asks for."""

from __future__ import annotations

import re

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SELECTOR = re.compile(r"\{([^}]*)\}")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_NAME = re.compile(r"(?<![\w$.])[a-zA-Z_:][\w:]*(?!\w|\s*\()")
_WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan"}


def metrics_of(expression: str) -> set[str]:
    """Give the names of the series that are asked for."""
    bare = re.sub(r"\[[^]]*\]", "", _GROUPING.sub("", _SELECTOR.sub("", _STRING.sub("", expression))))
    return {name for name in _NAME.findall(bare) if name.lower() not in _WORDS}


def labels_of(expression: str) -> set[str]:
    """Give the names of the labels that are looked at."""
    bare = _STRING.sub('""', expression)
    matched = {
        matcher.group(1) for inside in _SELECTOR.findall(bare) for matcher in re.finditer(r'(\w+)\s*[=!]~?""', inside)
    }
    grouped = {name.strip() for inside in _GROUPING.findall(bare) for name in inside.split(",")}
    return (matched | grouped) - {""}
