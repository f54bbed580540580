"""The contract `bgbot.v1`: its messages, enums, enum values and stubs under one name.

`from bgbot import v1` gives `v1.ListLegalPlaysRequest`, `v1.LEVEL_HARD` and the rest, documented as
in the `.proto` files. Everything else in this directory is generated.
"""

from bgbot.v1.bot_service_pb2 import *
from bgbot.v1.bot_service_pb2_grpc import BotServiceStub as BotServiceStub
from bgbot.v1.bulk_service_pb2 import *
from bgbot.v1.bulk_service_pb2_grpc import BulkServiceStub as BulkServiceStub
from bgbot.v1.dice_service_pb2 import *
from bgbot.v1.dice_service_pb2_grpc import DiceServiceStub as DiceServiceStub
from bgbot.v1.error_reason_pb2 import *
from bgbot.v1.evaluation_service_pb2 import *
from bgbot.v1.evaluation_service_pb2_grpc import EvaluationServiceStub as EvaluationServiceStub
from bgbot.v1.level_pb2 import *
from bgbot.v1.match_pb2 import *
from bgbot.v1.position_pb2 import *
from bgbot.v1.rules_service_pb2 import *
from bgbot.v1.rules_service_pb2_grpc import RulesServiceStub as RulesServiceStub
from bgbot.v1.stamp_pb2 import *
