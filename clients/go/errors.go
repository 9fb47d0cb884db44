package crmclient

import (
	"fmt"
	"net/http"
	"time"
)

// A Kind is a class of errors: errors.Is(err, crmclient.ErrNotFound). Its text is the same in every client library and on
// the command line.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds of errors.
const (
	ErrInvalidInput       Kind = "invalid_input" // an argument is invalid; nothing was sent
	ErrBadRequest         Kind = "bad_request"
	ErrUnauthorized       Kind = "unauthorized" // the key is missing, unknown, expired or revoked
	ErrForbidden          Kind = "forbidden"    // the key lacks the scope
	ErrNotFound           Kind = "not_found"
	ErrConflict           Kind = "conflict"
	ErrPreconditionFailed Kind = "precondition_failed" // the record is not at the version of IfMatch
	ErrInvalidValues      Kind = "invalid_values"      // Fields names the members
	ErrRateLimited        Kind = "rate_limited"        // the server asks for a longer wait than WithMaxWait permits
	ErrServer             Kind = "server_error"        // 5xx, after the retries
	ErrUnreachable        Kind = "unreachable"         // no connection, or one that ended before the response was complete
	ErrTimeout            Kind = "timeout"             // no complete response within WithTimeout
	ErrBadAnswer          Kind = "bad_answer"          // a success that is not what the operation returns
	ErrInterrupted        Kind = "interrupted"         // the context of the call ended
	ErrRejected           Kind = "rejected"            // any other status
	ErrInvalidSignature   Kind = "invalid_signature"   // a webhook request that is not genuine
)

// A FieldError is an entry of errors in a problem document (RFC 9457).
type FieldError struct {
	// Pointer is the JSON pointer of the member, such as /stage; empty for a query parameter.
	Pointer string
	Code    string
	Detail  string
	// Parameter is the name of the query parameter, else empty.
	Parameter string
}

// An Error is anything that a server or the network does wrong. Use errors.As to read it.
type Error struct {
	Kind Kind
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// ServerCode is the code of the problem document, such as idempotency_key_reused.
	ServerCode string
	RequestID  string
	Fields     []FieldError
	// Retryable: the same call may succeed later.
	Retryable bool
	// InDoubt: it is unknown whether the server applied the write. Repeat it with IdempotencyKey.
	InDoubt        bool
	IdempotencyKey string
	// RetryAfter is the time that the server asked to wait.
	RetryAfter time.Duration

	message string
	cause   error
}

func (e *Error) Error() string { return e.message }

// Is tells whether target is the kind of this error.
func (e *Error) Is(target error) bool {
	kind, isKind := target.(Kind)
	return isKind && kind == e.Kind
}

// Unwrap returns the error of the context for ErrInterrupted.
func (e *Error) Unwrap() error { return e.cause }

// A SignatureError is the error of Verify for a webhook request that is not genuine.
type SignatureError struct {
	// Reason is no_signature, malformed_header, signature_mismatch, stale, future or malformed_request.
	Reason  string
	message string
}

func (e *SignatureError) Error() string { return e.message }

// Is tells whether target is ErrInvalidSignature.
func (e *SignatureError) Is(target error) bool { return target == error(ErrInvalidSignature) }

func invalidInput(format string, args ...any) error {
	return &Error{Kind: ErrInvalidInput, message: fmt.Sprintf(format, args...)}
}

func kindOf(status int) Kind {
	switch status {
	case http.StatusBadRequest:
		return ErrBadRequest
	case http.StatusUnauthorized:
		return ErrUnauthorized
	case http.StatusForbidden:
		return ErrForbidden
	case http.StatusNotFound, http.StatusGone:
		return ErrNotFound
	case http.StatusRequestTimeout, 499:
		return ErrTimeout
	case http.StatusConflict:
		return ErrConflict
	case http.StatusPreconditionFailed:
		return ErrPreconditionFailed
	case http.StatusUnprocessableEntity:
		return ErrInvalidValues
	case http.StatusTooManyRequests:
		return ErrRateLimited
	}
	if status >= 500 {
		return ErrServer
	}
	return ErrRejected
}
