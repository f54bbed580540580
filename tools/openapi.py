"""Writes the OpenAPI document of the contract's JSON form, from its compiled descriptors with their comments.

Usage: python tools/openapi.py DESCRIPTORS, as protoc writes them with --include_source_info.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.api.annotations_pb2 import http
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.api.http_pb2 import HttpRule

    Schema = dict[str, Any]

PACKAGE = "bgbot.v1"
_F = FieldDescriptorProto
_SCALARS: dict[int, Schema] = {
    _F.TYPE_BOOL: {"type": "boolean"},
    _F.TYPE_BYTES: {"type": "string", "format": "byte"},
    _F.TYPE_DOUBLE: {"type": "number", "format": "double"},
    _F.TYPE_FLOAT: {"type": "number", "format": "float"},
    _F.TYPE_INT32: {"type": "integer", "format": "int32"},
    _F.TYPE_INT64: {"type": "string", "format": "int64"},
    _F.TYPE_STRING: {"type": "string"},
}
_WELL_KNOWN: dict[str, Schema] = {
    ".google.protobuf.Any": {
        "type": "object",
        "properties": {"@type": {"type": "string", "description": "Which message it is."}},
        "required": ["@type"],
        "additionalProperties": True,
    },
    ".google.protobuf.Duration": {
        "type": "string",
        "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$",
        "description": "Seconds, such as 1.5s.",
    },
}
_ERROR = ".google.rpc.Status"
_MESSAGE, _SERVICE, _ENUM, _FIELD, _METHOD, _VALUE = 4, 6, 5, 2, 2, 2
"""Numbers of fields of descriptors, which paths to comments are made of (descriptor.proto)."""
_REQUIRED = re.compile(r"(^|[.] )Required[.]")

_INTRODUCTION = """\
The contract `bgbot.v1` as JSON over HTTP, beside gRPC and gRPC-Web.

Names of fields may be written as here or with underscores, as in the contract; answers have them as here. 64-bit
integers are strings. Answers have every field that is not `optional` and no message, even if it is zero or empty.
Whatever a request has beyond what is described here is refused.

A failure is a `google.rpc.Status`: what went wrong as `message`, `google.rpc.ErrorInfo` with the reason, and
`google.rpc.BadRequest` with every field that is wrong. The HTTP status follows gRPC's code: 400 INVALID_ARGUMENT and
FAILED_PRECONDITION, 401 UNAUTHENTICATED, 403 PERMISSION_DENIED, 404 NOT_FOUND, 429 RESOURCE_EXHAUSTED, 499 CANCELLED,
500 INTERNAL, 501 UNIMPLEMENTED, 503 UNAVAILABLE, 504 DEADLINE_EXCEEDED.

A call may say how long it waits, with the header `grpc-timeout` (`2S`, `500m`), and who it is, with `x-request-id`.
"""


class Contract:
    """The compiled contract, by names, with comments."""

    def __init__(self, files: FileDescriptorSet) -> None:
        """Look through all files."""
        self.types: dict[str, DescriptorProto | EnumDescriptorProto] = {}
        self.comments: dict[str, str] = {}
        for file in files.file:
            comments = {tuple(each.path): each.leading_comments for each in file.source_code_info.location}
            self._read(file, comments)

    def _read(self, file: FileDescriptorProto, comments: dict[tuple[int, ...], str]) -> None:
        """Take the types and the comments of a file."""
        for number, message in enumerate(file.message_type):
            self._read_message(f".{file.package}.{message.name}", message, (_MESSAGE, number), comments)
        for number, enum in enumerate(file.enum_type):
            self._read_enum(f".{file.package}.{enum.name}", enum, (_ENUM, number), comments)
        for number, service in enumerate(file.service):
            name = f".{file.package}.{service.name}"
            self.comments[name] = comments.get((_SERVICE, number), "")
            for place, method in enumerate(service.method):
                self.comments[f"{name}.{method.name}"] = comments.get((_SERVICE, number, _METHOD, place), "")

    def _read_message(
        self, name: str, message: DescriptorProto, path: tuple[int, ...], comments: dict[tuple[int, ...], str]
    ) -> None:
        """Take a message, and those within it."""
        self.types[name] = message
        self.comments[name] = comments.get(path, "")
        for number, field in enumerate(message.field):
            self.comments[f"{name}.{field.name}"] = comments.get((*path, _FIELD, number), "")
        for number, inner in enumerate(message.nested_type):
            self._read_message(f"{name}.{inner.name}", inner, (*path, 3, number), comments)
        for number, enum in enumerate(message.enum_type):
            self._read_enum(f"{name}.{enum.name}", enum, (*path, 4, number), comments)

    def _read_enum(
        self, name: str, enum: EnumDescriptorProto, path: tuple[int, ...], comments: dict[tuple[int, ...], str]
    ) -> None:
        """Take an enum."""
        self.types[name] = enum
        self.comments[name] = comments.get(path, "")
        for number, value in enumerate(enum.value):
            self.comments[f"{name}.{value.name}"] = comments.get((*path, _VALUE, number), "")

    def said(self, name: str) -> str:
        """Give the comment of anything of ours, its lines put together to paragraphs."""
        if not name.startswith(f".{PACKAGE}."):
            return ""
        paragraphs = self.comments.get(name, "").strip().split("\n\n")
        return "\n\n".join(" ".join(line.strip() for line in each.splitlines()) for each in paragraphs)


class Schemas:
    """Descriptions of all types that are asked for."""

    def __init__(self, contract: Contract) -> None:
        """Begin with none."""
        self._contract = contract
        self.found: dict[str, Schema] = {}

    def reference(self, name: str) -> Schema:
        """Describe a type, and refer to it."""
        if name in _WELL_KNOWN:
            return _WELL_KNOWN[name]
        short = name.removeprefix(f".{PACKAGE}.").removeprefix(".")
        if short not in self.found:
            self.found[short] = {}  # types refer to each other
            described = self._contract.types[name]
            if isinstance(described, DescriptorProto):
                self.found[short] |= self._message(name, described)
            else:
                self.found[short] |= self._enum(name, described)
        return {"$ref": f"#/components/schemas/{short}"}

    def _enum(self, name: str, enum: EnumDescriptorProto) -> Schema:
        """Describe an enum, whose values JSON has by name."""
        values = [f"- `{value.name}`: {self._contract.said(f'{name}.{value.name}')}" for value in enum.value]
        description = "\n".join([self._contract.said(name), "", *values])
        return {"type": "string", "description": description, "enum": [value.name for value in enum.value]}

    def _message(self, name: str, message: DescriptorProto) -> Schema:
        """Describe a message."""
        described = self._contract.said(name)
        schema: Schema = {"type": "object", "description": described} if described else {"type": "object"}
        properties = {field.json_name: self._field(name, field) for field in message.field}
        if properties:
            schema["properties"] = properties
        required = [
            field.json_name
            for field in message.field
            if _REQUIRED.search(self._contract.said(f"{name}.{field.name}")) and not field.HasField("oneof_index")
        ]
        if required:
            schema["required"] = required
        for number, choice in enumerate(message.oneof_decl):
            names = [f.json_name for f in message.field if f.HasField("oneof_index") and f.oneof_index == number]
            if not choice.name.startswith("_"):  # protoc makes one up for each optional field
                schema["description"] += f"\n\nAt most one of {', '.join(f'`{each}`' for each in names)}."
        return schema

    def _field(self, within: str, field: FieldDescriptorProto) -> Schema:
        """Describe a field."""
        described = self._contract.said(f"{within}.{field.name}")
        if field.type not in {_F.TYPE_MESSAGE, _F.TYPE_ENUM}:
            schema = dict(_SCALARS[field.type])
        elif isinstance(entry := self._contract.types[field.type_name], DescriptorProto) and entry.options.map_entry:
            value = _SCALARS[entry.field[1].type]
            return {"type": "object", "additionalProperties": value, "description": described}
        else:
            schema = self.reference(field.type_name)
        if field.label == _F.LABEL_REPEATED:
            schema = {"type": "array", "items": schema}
        elif "$ref" in schema:
            schema = {"allOf": [schema]}  # beside a reference nothing else is read
        return {**schema, "description": described} if described else schema


def document(contract: Contract, files: FileDescriptorSet) -> Schema:
    """Describe every method that has a place in HTTP."""
    schemas = Schemas(contract)
    failure = {
        "description": "What went wrong.",
        "content": {"application/json": {"schema": schemas.reference(_ERROR)}},
    }
    for detail in ("ErrorInfo", "BadRequest", "RetryInfo", "RequestInfo"):
        schemas.reference(f".google.rpc.{detail}")
    paths: dict[str, Schema] = {}
    tags = []
    for service, method in _methods(files):
        rule: HttpRule = method.options.Extensions[http]  # type: ignore[index] # its stub does not say what it extends
        verb = rule.WhichOneof("pattern")
        if not verb:
            continue
        if service not in tags:
            tags.append(service)
        operation = _operation(contract, schemas, service, method, has_body=bool(rule.body))
        operation["responses"]["default"] = failure
        paths.setdefault(getattr(rule, verb), {})[verb] = operation
    return {
        "openapi": "3.0.3",
        "info": {"title": "bgbotd", "version": "v1", "description": _INTRODUCTION, "license": {"name": "MIT"}},
        "servers": [{"url": "/"}],
        "tags": [{"name": tag, "description": contract.said(f".{PACKAGE}.{tag}")} for tag in tags],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": dict(sorted(schemas.found.items())),
        },
    }


def _methods(files: FileDescriptorSet) -> Iterator[tuple[str, MethodDescriptorProto]]:
    """Give every method of the contract, with its service's name."""
    for file in files.file:
        if file.package == PACKAGE:
            for service in file.service:
                for method in service.method:
                    yield service.name, method


def _operation(
    contract: Contract, schemas: Schemas, service: str, method: MethodDescriptorProto, *, has_body: bool
) -> Schema:
    """Describe a method."""
    summary, _, _rest = contract.said(f".{PACKAGE}.{service}.{method.name}").partition(". ")
    answer = "One JSON object a line, each sent as soon as it is known." if method.server_streaming else "The answer."
    operation: Schema = {
        "operationId": method.name,
        "tags": [service],
        "summary": summary.partition("\n")[0].rstrip("."),
        "description": contract.said(f".{PACKAGE}.{service}.{method.name}"),
        "responses": {
            "200": {
                "description": answer,
                "content": {"application/json": {"schema": schemas.reference(method.output_type)}},
            }
        },
    }
    if has_body:
        content = {"application/json": {"schema": schemas.reference(method.input_type)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def main() -> None:
    """Write the document to standard output."""
    files = FileDescriptorSet.FromString(Path(sys.argv[1]).read_bytes())
    sys.stdout.write(json.dumps(document(Contract(files), files), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
