"""What every call has in common: a deadline, a token, and errors read as `BgbotError`.

The type checker's stubs make interceptors generic in messages that this module never looks at, and
describe the call objects as classes that do not exist at run time; hence `Any` here.
"""

# ruff: noqa: ANN401

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio

from bgbot._errors import BgbotError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


@contextmanager
def _errors_read() -> Iterator[None]:
    """Raise what the daemon said instead of the bare `grpc.RpcError`."""
    try:
        yield
    except grpc.RpcError as error:
        raise BgbotError(error) from error


@dataclass(frozen=True, slots=True)
class CallDefaults:
    """What a call gets unless it says otherwise."""

    timeout: float
    """Seconds a unary call may take."""
    token: str | None
    """Bearer token of every call."""

    def metadata(self, own: Any) -> list[tuple[str, str | bytes]]:
        """Give the call's own metadata with the token added."""
        metadata = list(own or ())
        if self.token is not None:
            metadata.append(("authorization", f"Bearer {self.token}"))
        return metadata

    def timeout_of_unary(self, own: float | None) -> float:
        """Give the call's own timeout, else the default."""
        return self.timeout if own is None else own


class _Details(grpc.ClientCallDetails):
    """The details of a call with other metadata and another timeout."""

    def __init__(self, details: grpc.ClientCallDetails, timeout: float | None, metadata: Any) -> None:
        self.method = details.method
        self.timeout = timeout
        self.metadata = metadata
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


class _ReadingCall:
    """A call whose result or responses come with errors read; in all else the call itself."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def result(self, timeout: float | None = None) -> Any:
        with _errors_read():
            return self._call.result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        error = self._call.exception(timeout)
        return BgbotError(error) if isinstance(error, grpc.RpcError) else error

    def __iter__(self) -> _ReadingCall:
        return self

    def __next__(self) -> Any:
        with _errors_read():
            return next(self._call)


class Interceptor(
    grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor, grpc.StreamStreamClientInterceptor
):
    """The interceptor of the synchronous client."""

    def __init__(self, defaults: CallDefaults) -> None:
        """Hold what every call gets."""
        self._defaults = defaults

    def intercept_unary_unary(
        self,
        continuation: Callable[..., Any],
        client_call_details: grpc.ClientCallDetails,
        request: Any,
    ) -> Any:
        """Call with a deadline and the token."""
        timeout = self._defaults.timeout_of_unary(client_call_details.timeout)
        metadata = self._defaults.metadata(client_call_details.metadata)
        return _ReadingCall(continuation(_Details(client_call_details, timeout, metadata), request))

    def intercept_unary_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: grpc.ClientCallDetails,
        request: Any,
    ) -> Any:
        """Call with the token; a stream has no deadline but its caller's own."""
        metadata = self._defaults.metadata(client_call_details.metadata)
        return _ReadingCall(continuation(_Details(client_call_details, client_call_details.timeout, metadata), request))

    def intercept_stream_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: grpc.ClientCallDetails,
        request_iterator: Any,
    ) -> Any:
        """Call as a stream of answers alone is called."""
        return self.intercept_unary_stream(continuation, client_call_details, request_iterator)


def async_interceptors(defaults: CallDefaults) -> list[aio.ClientInterceptor]:
    """Make the interceptors of the asyncio client; grpc.aio looks for one kind of call in each."""
    return [_AsyncUnaryUnary(defaults), _AsyncUnaryStream(defaults), _AsyncStreamStream(defaults)]


class _AsyncInterceptor:
    """What the interceptors of the asyncio client share."""

    def __init__(self, defaults: CallDefaults) -> None:
        self._defaults = defaults

    def _details(self, details: aio.ClientCallDetails, timeout: float | None) -> aio.ClientCallDetails:
        metadata = aio.Metadata(*self._defaults.metadata(details.metadata))
        return aio.ClientCallDetails(details.method, timeout, metadata, details.credentials, details.wait_for_ready)


class _AsyncUnaryUnary(_AsyncInterceptor, aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(
        self,
        continuation: Callable[..., Any],
        client_call_details: aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        timeout = self._defaults.timeout_of_unary(client_call_details.timeout)
        call = await continuation(self._details(client_call_details, timeout), request)
        with _errors_read():
            await call
        return call


class _AsyncUnaryStream(_AsyncInterceptor, aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        return _reading(await continuation(self._details(client_call_details, client_call_details.timeout), request))


class _AsyncStreamStream(_AsyncInterceptor, aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: aio.ClientCallDetails,
        request_iterator: Any,
    ) -> Any:
        details = self._details(client_call_details, client_call_details.timeout)
        return _reading(await continuation(details, request_iterator))


async def _reading(responses: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Give the responses of a stream with errors read."""
    with _errors_read():
        async for response in responses:
            yield response
