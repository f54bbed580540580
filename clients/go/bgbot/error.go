package bgbot

import (
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// An Error is a call that failed, refused by the daemon or lost on the way to it. Get it with
// errors.As; status.Code and status.FromError read it too.
type Error struct {
	// Code is the status, such as codes.InvalidArgument.
	Code codes.Code
	// Message says what went wrong, for a person to read.
	Message string
	// Reason is the name of a bgbotv1.ErrorReason without its prefix; empty when the answer is not the
	// daemon's own.
	Reason string
	// Violations is everything that is wrong with the request; empty unless it was refused as invalid.
	Violations []Violation
	// RequestID finds the call in the daemon's log; empty where the daemon was not reached.
	RequestID string
	// RetryAfter is how long to wait before trying again; zero where the daemon does not say.
	RetryAfter time.Duration

	status *status.Status
}

// A Violation is one thing that is wrong with a request.
type Violation struct {
	// Field is the path of the field in the request, such as position.position.player.points[5].
	Field string
	// Description says what was found there and what would have been right.
	Description string
	// Reason is the name of a bgbotv1.ErrorReason without its prefix; empty where the daemon says none,
	// and with releases of genproto before 2024, which do not know it.
	Reason string
}

// Error gives code and message.
func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s", e.Code, e.Message)
}

// GRPCStatus gives the status with all its details.
func (e *Error) GRPCStatus() *status.Status {
	return e.status
}

// readError gives an *Error, or nil for nil.
func readError(err error, received metadata.MD) error {
	if err == nil {
		return nil
	}
	said, _ := status.FromError(err)
	read := &Error{Code: said.Code(), Message: said.Message(), status: said}
	if ids := received.Get("x-request-id"); len(ids) > 0 {
		read.RequestID = ids[len(ids)-1]
	}
	for _, detail := range said.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			read.Reason = detail.GetReason()
		case *errdetails.RetryInfo:
			delay := detail.GetRetryDelay()
			read.RetryAfter = time.Duration(delay.GetSeconds())*time.Second + time.Duration(delay.GetNanos())
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				var reason string
				if knowing, ok := interface{}(violation).(interface{ GetReason() string }); ok {
					reason = knowing.GetReason()
				}
				read.Violations = append(read.Violations, Violation{violation.GetField(), violation.GetDescription(), reason})
			}
		}
	}
	return read
}
