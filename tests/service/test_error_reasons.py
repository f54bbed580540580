"""The contract's reasons are those of the program."""

from bgbot.v1.error_reason_pb2 import ErrorReason

from bgbotd.rules import Reason
from bgbotd.service.errors import ServiceReason


def test_the_contract_names_exactly_the_reasons_of_the_program() -> None:
    """Clients know every reason that can come, and no other."""
    named = {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()} - {"UNSPECIFIED"}  # noqa: SIM118
    assert {*Reason, *ServiceReason} == named
