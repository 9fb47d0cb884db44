package crmclient

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// mostUnpromptedRetries is for an outage that states no Retry-After.
const mostUnpromptedRetries = 3

// tries are the failed tries of one call, and whether there is another one.
type tries struct {
	call    *call
	maxWait time.Duration
	waited  time.Duration
	// failure is the error of the last try.
	failure *Error

	count      int
	unprompted int
	isInDoubt  bool
	isPatient  bool
	isLasting  bool
	asked      time.Duration
}

// isDeleted: a 404 for a delete that an earlier try may have made.
func (t *tries) isDeleted(status int) bool {
	return t.isInDoubt && t.call.method == http.MethodDelete && kindOf(status) == ErrNotFound
}

func (t *tries) begun(is bool) {
	t.isInDoubt = t.isInDoubt || (is && t.call.isWrite())
}

func (t *tries) refused(got *response, failure *Error) {
	asked, asks := retryAfter(got.status, got.header)
	isInProgress := got.status == http.StatusConflict && failure.ServerCode == "idempotency_in_progress"
	t.isPatient = isInProgress || isLimit(got.status, got.header)
	t.isLasting = !t.isPatient && !isTemporary(got.status)
	t.asked = asked
	if t.isLasting {
		t.asked = 0
	}
	failure.RetryAfter = t.asked
	// A 503 with Retry-After means that the server did not start the request.
	mayHaveBegun := got.status == 408 || got.status == 499 || (got.status >= 500 && !(got.status == 503 && asks))
	t.failed(failure, isInProgress || mayHaveBegun)
}

func (t *tries) unanswered(failure *noResponse, origin string, took time.Duration) {
	t.isPatient, t.asked, t.isLasting = false, 0, failure.isFinal
	kind := ErrUnreachable
	if failure.isTimeout {
		kind = ErrTimeout
		// A timeout counts as a wait: a call lasts little longer than WithMaxWait.
		t.waited += took
	}
	t.failed(&Error{Kind: kind, message: fmt.Sprintf("cannot %s: %s %s", t.call, origin, failure.reason)}, failure.isSent)
}

func (t *tries) failed(failure *Error, mayHaveBegun bool) {
	t.failure = failure
	t.count++
	t.begun(mayHaveBegun)
	if t.asked == 0 && !t.isPatient {
		t.unprompted++
	}
}

// next is the wait until the next try, or the error if there is none.
func (t *tries) next() (time.Duration, error) {
	wait := backoff(t.count)
	if t.asked > 0 {
		// Not all clients of a server return at the same moment.
		wait = notAbove(t.asked, 1<<62) + jitter()
	}
	if t.isLasting || t.unprompted > mostUnpromptedRetries || wait > t.maxWait-t.waited {
		return 0, t.final()
	}
	return wait, nil
}

func notAbove(wait, most time.Duration) time.Duration {
	if wait > most {
		return most
	}
	return wait
}

func (t *tries) final() error {
	failure := t.failure
	failure.Retryable = !t.isLasting
	if t.count > 1 {
		failure.message += fmt.Sprintf(", after %d tries", t.count)
	}
	t.doubt(failure)
	return failure
}

func (t *tries) interrupted(ctx context.Context) error {
	failure := &Error{Kind: ErrInterrupted, cause: ctx.Err(), message: fmt.Sprintf("cannot %s: %v", t.call, ctx.Err())}
	t.doubt(failure)
	return failure
}

func (t *tries) doubt(failure *Error) {
	if t.isInDoubt {
		failure.InDoubt = true
		failure.IdempotencyKey = t.call.idempotencyKey
		failure.message += "; it is unknown whether the server applied it"
	}
}
