"""What surrounds every call, once: reading the bytes, the request id, failures and the access log."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
import structlog
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.code_pb2 import Code
from grpc_status import rpc_status

from bgbotd.config import LARGEST_REQUEST, Limits
from bgbotd.evaluation.work_times import WorkTimes, times_of_work
from bgbotd.logging import current_request
from bgbotd.rules import RulesError
from bgbotd.service.access_log import REQUEST_ID, AccessLog, request_id_of, says_request_id
from bgbotd.service.admission import Admission
from bgbotd.service.errors import CallFailed, InvalidRequest, ServiceReason, internal_status, status_of
from bgbotd.service.json_requests import JsonRequest
from bgbotd.service.metrics import level_reader
from bgbotd.service.plain import plain_handler

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping

    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
    from google.rpc.status_pb2 import Status

    from bgbotd.service.admission import Door
    from bgbotd.service.plain import PlainHandler
    from bgbotd.service.traces import Traces

    Context = grpc.aio.ServicerContext[Message, bytes]
    Answer = Message | bytes
    Handler = Callable[[Message], Answer | Awaitable[Answer]]
    StreamHandler = Callable[[Any], AsyncGenerator[Answer, None]]


UNSERVED = "unserved"
"""What stands for the method where there is none."""

log = structlog.get_logger("bgbotd.calls")


def served_methods(
    descriptor: ServiceDescriptor,
    handlers: object,
    admission: Admission | None = None,
    access_log: AccessLog | None = None,
    traces: Traces | None = None,
) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
    """Wrap the handlers of a service: methods named as the contract's, in snake case.

    What has no handler is absent from the server, and so answered UNIMPLEMENTED. Without `admission`
    everybody is let in.
    """
    admission = admission or Admission(Limits(), None)
    access_log = access_log or AccessLog()
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {}
    for method in descriptor.methods:
        handler = getattr(handlers, snake_case(method.name), None)
        if handler is not None:
            methods[method.name] = _surrounded(method, handler, admission.door(method), access_log, traces)
    return methods


def quick_methods(
    descriptor: ServiceDescriptor,
    handlers: object,
    admission: Admission,
    access_log: AccessLog,
    methods: Mapping[str, grpc.RpcMethodHandler[bytes, bytes]],
) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
    """Give shorter ways to those of `methods` that answer plain requests, for callers who say no request id."""
    return {
        method.name: grpc.unary_unary_rpc_method_handler(
            _quick(path_of(method), plainly, admission.door(method), access_log, methods[method.name].unary_unary)
        )
        for method in descriptor.methods
        if (plainly := plain_handler(getattr(handlers, snake_case(method.name), None)))
    }


def snake_case(name: str) -> str:
    """Turn `ListLegalPlays` into `list_legal_plays`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def read_message(message_class: type[Message], payload: bytes) -> Message:
    """Read a request's bytes.

    Raises:
        CallFailed: MESSAGE_TOO_LARGE or MESSAGE_MALFORMED.
        InvalidRequest: if it is JSON that has what its message has not.

    """
    if isinstance(payload, JsonRequest):
        return payload.read(message_class)
    if len(payload) > LARGEST_REQUEST:
        message = f"The request has {len(payload)} bytes; at most {LARGEST_REQUEST} are read."
        raise CallFailed(ServiceReason.MESSAGE_TOO_LARGE, message)
    try:
        return message_class.FromString(payload)
    except DecodeError:
        name = message_class.DESCRIPTOR.full_name
        raise CallFailed(ServiceReason.MESSAGE_MALFORMED, f"The bytes are no {name}.") from None


def failure_status(error: BaseException) -> Status:
    """Say any failure of this call as a status; what nobody foresaw is logged with its trace and sent without it."""
    if isinstance(error, (InvalidRequest, RulesError, CallFailed)):
        return status_of(error, current_request.get())
    log.error("internal error", exc_info=error)
    return internal_status(current_request.get())


def _surrounded(
    method: MethodDescriptor,
    handler: Any,  # noqa: ANN401
    door: Door,
    access_log: AccessLog,
    traces: Traces | None,
) -> grpc.RpcMethodHandler[bytes, bytes]:
    """Surround a handler, which is of the kind its method says."""
    read = _read_messages if method.client_streaming else read_message
    streams = method.client_streaming or method.server_streaming
    behaviour: Any = (
        _stream(method, handler, door, access_log, read) if streams else _unary(method, handler, door, access_log)
    )
    if traces is not None:
        behaviour = traces.traced(path_of(method), behaviour)
    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(behaviour)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(behaviour)
    return grpc.unary_unary_rpc_method_handler(behaviour)


def path_of(method: MethodDescriptor) -> str:
    """Give the path that calls of a method have on the wire."""
    return f"/{method.containing_service.full_name}/{method.name}"


def _unary(
    method: MethodDescriptor, handler: Handler, door: Door, access_log: AccessLog
) -> Callable[[bytes, Context], Awaitable[bytes]]:
    """Surround one unary handler."""
    request_class = GetMessageClass(method.input_type)
    name = path_of(method)
    level_of = level_reader(method.input_type)
    plainly = None if access_log.tells_requests else plain_handler(handler)

    async def call(payload: bytes, context: Context) -> bytes:
        started = time.perf_counter()
        level, request = "", None
        answer: Any
        _begin(context)
        try:
            with door.admit(context):
                if plainly and (answered := plainly(payload)):
                    answer, level = answered
                else:
                    request = read_message(request_class, payload)
                    level = level_of(request)
                    if door.bounds:
                        door.bounds.check(request)
                    answer = handler(request)
                if not isinstance(answer, (bytes, Message)):
                    times_of_work.set(WorkTimes())
                    async with in_time(door.seconds_left(context)):
                        answer = await answer
            access_log.finished(name, "OK", started, context, level, request=request)
            return answer if isinstance(answer, bytes) else answer.SerializeToString()
        except Exception as error:  # noqa: BLE001 - one call's failure is that call's answer
            status = failure_status(error)
            access_log.finished(name, Code.Name(status.code), started, context, level, request=request, status=status)
            await abort(context, status, current_request.get())
        except asyncio.CancelledError:
            access_log.finished(name, "CANCELLED", started, context, level, request=request)
            raise

    return call


def _quick(
    name: str,
    plainly: PlainHandler,
    door: Door,
    access_log: AccessLog,
    ordinary: Any,  # noqa: ANN401 - gRPC's own type knows no asynchronous ones
) -> Callable[[bytes, Context], Awaitable[bytes]]:
    """Answer plain requests with nothing around them that would change nothing, and leave others to the ordinary way.

    A call is so short that each microsecond of Python is a fiftieth of what it takes.
    """

    async def call(payload: bytes, context: Context) -> bytes:
        started = time.perf_counter()
        if door.stands_open():
            answered = None
            with suppress(Exception):  # which the ordinary way meets again, and tells
                answered = plainly(payload)
            if answered:
                answer, level = answered
                access_log.finished(name, "OK", started, context, level)
                return answer
        found: bytes = await ordinary(payload, context)
        return found

    return call


def _stream(
    method: MethodDescriptor,
    handler: StreamHandler,
    door: Door,
    access_log: AccessLog,
    read: Callable[[type[Message], Any], Any],
) -> Callable[[Any, Context], Awaitable[None]]:
    """Surround one handler that answers with a stream; `read` reads what it is asked."""
    request_class = GetMessageClass(method.input_type)
    name = path_of(method)
    level_of = level_reader(method.input_type)

    async def call(asked: bytes | AsyncIterator[bytes], context: Context) -> None:
        started = time.perf_counter()
        level, request = "", None
        _begin(context)
        times_of_work.set(WorkTimes())
        try:
            with door.admit(context):
                request = read(request_class, asked)
                if isinstance(request, Message):
                    level = level_of(request)
                    if door.bounds:
                        door.bounds.check(request)
                async with (
                    in_time(door.seconds_left(context)),
                    door.while_allowed(),
                    aclosing(handler(request)) as answers,
                ):
                    async for answer in answers:
                        await context.write(answer if isinstance(answer, bytes) else answer.SerializeToString())
            access_log.finished(name, "OK", started, context, level, request=request, lasting=True)
        except (asyncio.CancelledError, grpc.aio.InternalError):  # the latter where a write found the client gone
            access_log.finished(name, "CANCELLED", started, context, level, request=request, lasting=True)
            raise asyncio.CancelledError from None
        except Exception as error:  # noqa: BLE001 - one call's failure is that call's answer
            status = failure_status(error)
            access_log.finished(
                name, Code.Name(status.code), started, context, level, request=request, status=status, lasting=True
            )
            await abort(context, status, current_request.get())

    return call


async def _read_messages(message_class: type[Message], payloads: AsyncIterator[bytes]) -> AsyncIterator[Message]:
    """Read a stream of requests; raise as `read_message` does."""
    async for payload in payloads:
        yield read_message(message_class, payload)


@asynccontextmanager
async def in_time(seconds: float | None) -> AsyncIterator[None]:
    """End what takes longer; None lets it take any time.

    Raises:
        CallFailed: DEADLINE_EXCEEDED.

    """
    try:
        async with asyncio.timeout(seconds) as timer:
            yield
    except TimeoutError:
        if not timer.expired():
            raise
        message = f"The call had no deadline of its own, and took longer than the server's {seconds:g} s."
        raise CallFailed(ServiceReason.DEADLINE_EXCEEDED, message) from None


def _begin(context: Context) -> None:
    """Give the call its request id, in its log lines and in the answer to a caller who has said one."""
    request_id, said = request_id_of(context.invocation_metadata())
    current_request.set(request_id)
    if said:
        context.set_trailing_metadata(((REQUEST_ID, request_id),))


async def abort(context: Context, status: Status, request_id: str) -> NoReturn:
    """End a call with a status and its details."""
    wire = rpc_status.to_status(status)
    await context.abort(wire.code, wire.details, trailing_metadata=((REQUEST_ID, request_id), *wire.trailing_metadata))


class ServedMethods(grpc.GenericRpcHandler):
    """Finds the methods of all services by their paths at once; gRPC would ask each service in turn, for each call."""

    def __init__(self) -> None:
        """Serve nothing yet."""
        self._by_path: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {}
        self._quick = self._by_path.copy()

    def add(
        self,
        service: str,
        methods: Mapping[str, grpc.RpcMethodHandler[bytes, bytes]],
        quick: Mapping[str, grpc.RpcMethodHandler[bytes, bytes]] | None = None,
    ) -> None:
        """Serve the methods of a service, by their names; the `quick` for callers who say no request id."""
        self._by_path |= {f"/{service}/{name}": method for name, method in methods.items()}
        self._quick |= {f"/{service}/{name}": method for name, method in (quick or {}).items()}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Give what serves the call; None for others to look for it."""
        method = handler_call_details.method
        quick = self._quick.get(method)
        if quick is None or says_request_id(handler_call_details.invocation_metadata):
            return self._by_path.get(method)
        return quick


class UnservedMethods(grpc.GenericRpcHandler):
    """Answers every method that nothing else serves with a status that says so."""

    def __init__(self, access_log: AccessLog) -> None:
        """Tell `access_log` of them, all under one name: callers may make up as many as they like."""
        self._access_log = access_log

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Give a handler that refuses the call, whatever its kind."""
        name = handler_call_details.method

        async def refuse(_requests: object, context: Context) -> bytes:
            started = time.perf_counter()
            _begin(context)
            request_id = current_request.get()
            failed = CallFailed(ServiceReason.METHOD_NOT_SERVED, f"{name} is not served by this version.")
            status = status_of(failed, request_id)
            self._access_log.finished(UNSERVED, Code.Name(status.code), started, context, status=status)
            await abort(context, status, request_id)

        return grpc.stream_unary_rpc_method_handler(refuse)
