"""The description of the JSON form."""

from __future__ import annotations

import json
from pathlib import Path

from openapi_spec_validator import validate

from bgbotd.web import methods

DOCUMENT = json.loads((Path(methods.__file__).with_name("openapi.json")).read_text(encoding="utf-8"))


def test_it_is_an_openapi_document() -> None:
    """As the standard has it."""
    validate(DOCUMENT)


def test_every_method_with_a_place_in_http_is_in_it() -> None:
    """And no other."""
    described = {(path, verb.upper()) for path, verbs in DOCUMENT["paths"].items() for verb in verbs}
    assert {(method.path, method.verb) for method in methods.methods() if method.path} == described


def test_everything_in_it_is_described() -> None:
    """By the contract's own words."""
    ours = {name: schema for name, schema in DOCUMENT["components"]["schemas"].items() if "google" not in name}
    assert [] == [name for name, schema in ours.items() if not schema["description"]]
    assert [] == [
        f"{name}.{field}"
        for name, schema in ours.items()
        for field, each in schema.get("properties", {}).items()
        if not each.get("description")
    ]


def test_what_has_to_be_said_is_marked() -> None:
    """Generated clients insist on it."""
    assert ["position", "level"] == DOCUMENT["components"]["schemas"]["ChoosePlayRequest"]["required"]
