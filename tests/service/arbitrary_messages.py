"""Arbitrary messages of any kind, made from the contract's own description.

Numbers, strings and enums are often sensible, so that messages come past the first check.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

if TYPE_CHECKING:
    import random

    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

IDS = {
    "gnubg_id": ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cAkAAAAAAAAA", "AwAAkAQAAAAAAA", "sHPwATDgc/ABMA:8AlzACAACAAE"],
    "xgid": [
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:2:4:0:5:10",
        "XGID=--aaB-D-B---eE---b-d-b--B-:0:0:1:D:1:0:0:3:10",
    ],
    "notation": ["8/5 6/5", "24/18*/13", "bar/22", "6/off(2)", "(no play)"],
}
_MOST_REPEATED = 5
_DEEPEST = 6
_EDGES = (-(2**31), -1, 0, 1, 2, 3, 4, 5, 6, 7, 15, 24, 25, 26, 64, 4096, 2**31 - 1)
_START = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)


def arbitrary_message(descriptor: Descriptor, generator: random.Random, depth: int = 0) -> Message:
    """Make a message of a kind; every field is said or left out at random."""
    message = GetMessageClass(descriptor)()
    if descriptor.name == "Side" and generator.random() < 0.7:
        message.points.extend(_points(generator))  # type: ignore[attr-defined]
        return message
    for field in descriptor.fields:
        if depth > _DEEPEST or generator.random() < 0.2:
            continue
        _fill(message, field, generator, depth)
    return message


def mutated(payload: bytes, generator: random.Random) -> bytes:
    """Change, drop, double or insert some bytes."""
    changed = bytearray(payload)
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(changed) + 1)
        match generator.randrange(4):
            case 0 if at < len(changed):
                changed[at] = generator.randrange(256)
            case 1:
                del changed[at : at + generator.randint(1, 8)]
            case 2:
                changed[at:at] = changed[at : at + 16]
            case _:
                changed[at:at] = generator.randbytes(generator.randint(1, 4))
    return bytes(changed)


def _fill(message: Message, field: FieldDescriptor, generator: random.Random, depth: int) -> None:
    """Say one field."""
    if field.is_repeated:
        for _ in range(generator.randrange(_MOST_REPEATED)):
            if field.message_type:
                part = arbitrary_message(field.message_type, generator, depth + 1)
                getattr(message, field.name).add().CopyFrom(part)
            else:
                getattr(message, field.name).append(_value(field, generator))
    elif field.message_type:
        part = arbitrary_message(field.message_type, generator, depth + 1)
        getattr(message, field.name).CopyFrom(part)
    else:
        setattr(message, field.name, _value(field, generator))


def _value(field: FieldDescriptor, generator: random.Random) -> object:
    """Make one scalar."""
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_ENUM:
            return generator.choice([*range(-1, 20), 99])
        case FieldDescriptor.CPPTYPE_BOOL:
            return generator.random() < 0.5
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return generator.randbytes(generator.choice([0, 31, 32, 33]))
        case FieldDescriptor.CPPTYPE_STRING:
            return _text(field.name, generator)
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return generator.choice([0.0, -1.0, 0.5, float("nan"), float("inf")])
        case _:
            return generator.randint(1, 6) if generator.random() < 0.6 else generator.choice(_EDGES)


def _text(name: str, generator: random.Random) -> str:
    """Make a text: often an ID or a play where the field is for one."""
    if name in IDS and generator.random() < 0.7:
        return generator.choice(IDS[name])
    letters = string.printable + "äé\u2028\x00🎲"
    return "".join(generator.choices(letters, k=generator.randrange(40)))


def _points(generator: random.Random) -> list[int]:
    """Make 24 counts: the starting ones, or fifteen checkers thrown into a few points."""
    if generator.random() < 0.5:
        return list(_START)
    points = [0] * 24
    for _ in range(15):
        points[min(23, int(generator.triangular(0, 24, 3)))] += 1
    return points
