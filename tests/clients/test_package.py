"""Tests of what the package offers."""

from __future__ import annotations

import subprocess
import sys

import bgbot
from bgbot import v1


def test_public_names_are_exactly_those_listed() -> None:
    """Everything else is private."""
    modules = {"v1", "play"}
    public = {name for name in vars(bgbot) if not name.startswith("_")} - modules
    assert set(bgbot.__all__) == public


def test_every_message_of_the_contract_is_in_one_place() -> None:
    """`v1` gathers messages, enums and their values from every file of the contract."""
    files = (
        v1.bot_service_pb2,
        v1.bulk_service_pb2,
        v1.dice_service_pb2,
        v1.error_reason_pb2,
        v1.evaluation_service_pb2,
        v1.level_pb2,
        v1.match_pb2,
        v1.position_pb2,
        v1.rules_service_pb2,
        v1.stamp_pb2,
    )
    for file in files:
        descriptor = file.DESCRIPTOR
        values = [value.name for enum in descriptor.enum_types_by_name.values() for value in enum.values]
        assert [] == [
            name
            for name in (*descriptor.message_types_by_name, *descriptor.enum_types_by_name, *values)
            if not hasattr(v1, name)
        ]


def test_client_imports_nothing_beyond_its_dependencies() -> None:
    """gRPC, protobuf and Google's common protos are all that an installation brings."""
    program = (
        "import sys; before = set(sys.modules); import bgbot.__main__; "
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    third_party = set(loaded) - sys.stdlib_module_names - {"bgbot"}
    # gRPC is partly in Cython, and looks for its own companions.
    assert [] == [
        name for name in third_party if not name.startswith(("google", "grpc", "cython", "_cython", "typing_"))
    ]
