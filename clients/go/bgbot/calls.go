package bgbot

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// callDefaults is what a call gets unless it says otherwise.
type callDefaults struct {
	timeout time.Duration
	token   string
}

func (d callDefaults) withToken(ctx context.Context) context.Context {
	if d.token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+d.token)
}

func (d callDefaults) unary(
	ctx context.Context, method string, request, response interface{},
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.timeout)
		defer cancel()
	}
	var header, trailer metadata.MD
	options = append(options, grpc.Header(&header), grpc.Trailer(&trailer))
	err := invoke(d.withToken(ctx), method, request, response, connection, options...)
	return readError(err, metadata.Join(header, trailer))
}

func (d callDefaults) stream(
	ctx context.Context, description *grpc.StreamDesc,
	connection *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	opened, err := open(d.withToken(ctx), description, connection, method, options...)
	if err != nil {
		return nil, readError(err, nil)
	}
	return readingStream{opened}, nil
}

// A readingStream is a stream whose failures are *Error.
type readingStream struct{ grpc.ClientStream }

func (s readingStream) RecvMsg(message interface{}) error {
	err := s.ClientStream.RecvMsg(message)
	if err == nil || err == io.EOF {
		return err
	}
	return readError(err, s.Trailer())
}

func (s readingStream) SendMsg(message interface{}) error {
	err := s.ClientStream.SendMsg(message)
	if err == nil || err == io.EOF {
		return err
	}
	return readError(err, nil)
}

// codec writes the messages of today's generated code under every release of gRPC: that of old ones
// knows their predecessors only.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(message interface{}) ([]byte, error) {
	known, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is no protobuf message", message)
	}
	return proto.Marshal(known)
}

func (codec) Unmarshal(wire []byte, message interface{}) error {
	known, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no protobuf message", message)
	}
	return proto.Unmarshal(wire, known)
}
