package crmclient

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Version is the version of this package.
const Version = "0.1.0"

// A call is one request, with all its tries.
type call struct {
	method         string
	target         string
	body           []byte
	idempotencyKey string
	ifMatch        string
}

func (c *call) isWrite() bool { return c.method != http.MethodGet }

func (c *call) String() string {
	path, _, _ := strings.Cut(c.target, "?")
	return c.method + " " + path
}

// An answer is a response with a success status; value is nil if its body is empty.
type answer struct {
	status    int
	header    http.Header
	value     any
	requestID string
	call      *call
}

type transport struct {
	base *url.URL
	// key is a function, because package fmt prints the fields of a struct.
	key          func() string
	http         *http.Client
	timeout      time.Duration
	maxWait      time.Duration
	onWait       func(wait time.Duration, reason string)
	logger       *log.Logger
	mutex        sync.Mutex
	blockedUntil time.Time
}

func (t *transport) basePath() string { return strings.TrimRight(t.base.EscapedPath(), "/") }

// request tries until there is an answer, or until another try cannot help.
func (t *transport) request(ctx context.Context, c *call) (*answer, error) {
	if c.method == http.MethodPost || c.method == http.MethodPatch {
		if err := c.needIdempotencyKey(); err != nil {
			return nil, err
		}
	}
	left := tries{call: c, maxWait: t.maxWait}
	for {
		waited, err := t.waitForLimit(ctx, t.maxWait-left.waited)
		if err != nil {
			return nil, left.interrupted(ctx)
		}
		left.waited += waited
		found, err := t.try(ctx, c, &left)
		if found != nil || err != nil {
			return found, err
		}
		wait, err := left.next()
		if err != nil {
			return nil, err
		}
		if t.pause(ctx, wait, left.failure.message) != nil {
			return nil, left.interrupted(ctx)
		}
		left.waited += wait
	}
}

func (c *call) needIdempotencyKey() error {
	if c.idempotencyKey != "" {
		return checkedIdempotencyKey(c.idempotencyKey)
	}
	key, err := newKey()
	c.idempotencyKey = key
	return err
}

// try returns neither an answer nor an error after a failure that left keeps.
func (t *transport) try(ctx context.Context, c *call, left *tries) (*answer, error) {
	started := time.Now()
	got, failure, err := t.exchange(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case failure != nil && ctx.Err() != nil:
		left.begun(failure.isSent)
		return nil, left.interrupted(ctx)
	case failure != nil:
		t.logf("%s: %s", c, failure.reason)
		left.unanswered(failure, origin(t.base), time.Since(started))
		return nil, nil
	}
	t.logf("%s: %d in %d ms", c, got.status, time.Since(started).Milliseconds())
	t.keepSignal(got.header)
	if got.status >= 200 && got.status <= 299 {
		return t.read(c, got)
	}
	if left.isDeleted(got.status) {
		return &answer{status: http.StatusNoContent, call: c}, nil
	}
	left.refused(got, t.statusError(c, got))
	return nil, nil
}

func (t *transport) headers(c *call) (http.Header, error) {
	header := http.Header{
		"Accept":        {"application/json"},
		"User-Agent":    {"crm-client-go/" + Version},
		"Authorization": {"Bearer " + t.key()},
	}
	if c.body != nil {
		header.Set("Content-Type", "application/json")
	}
	if c.idempotencyKey != "" {
		header.Set("Idempotency-Key", c.idempotencyKey)
	}
	if c.ifMatch != "" {
		tag, err := entityTag(c.ifMatch)
		if err != nil {
			return nil, err
		}
		header.Set("If-Match", tag)
	}
	return header, nil
}

func (t *transport) read(c *call, got *response) (*answer, error) {
	found := &answer{status: got.status, header: got.header, call: c, requestID: t.shown(got.header.Get("X-Request-Id"))}
	if len(bytes.TrimSpace(got.body)) == 0 {
		return found, nil
	}
	value, err := parseJSON(got.body)
	if err != nil {
		return nil, badAnswer(found, fmt.Sprintf("the answer is not JSON: %q", shortened(t.shown(string(got.body)), 60)))
	}
	found.value = value
	return found, nil
}

func badAnswer(found *answer, what string) error {
	return &Error{
		Kind:           ErrBadAnswer,
		Status:         found.status,
		RequestID:      found.requestID,
		InDoubt:        found.call.isWrite(),
		IdempotencyKey: found.call.idempotencyKey,
		message:        fmt.Sprintf("cannot %s: %s (%d)", found.call, what, found.status),
	}
}

func (t *transport) keepSignal(header http.Header) {
	if left, reset, ok := rateSignal(header); ok && left < 1 && reset > 0 {
		t.mutex.Lock()
		t.blockedUntil = time.Now().Add(reset)
		t.mutex.Unlock()
	}
}

// waitForLimit waits for the reset of a used-up rate limit; a longer wait than most is left to the 429 of the server.
func (t *transport) waitForLimit(ctx context.Context, most time.Duration) (time.Duration, error) {
	t.mutex.Lock()
	left := time.Until(t.blockedUntil)
	t.mutex.Unlock()
	if left <= 0 || left > most {
		return 0, nil
	}
	return left, t.pause(ctx, left, fmt.Sprintf("the rate limit of %s is used up", origin(t.base)))
}

func (t *transport) pause(ctx context.Context, wait time.Duration, reason string) error {
	t.logf("wait %.2f s: %s", wait.Seconds(), reason)
	if t.onWait != nil && wait >= time.Second {
		t.onWait(wait, reason)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (t *transport) logf(format string, values ...any) {
	if t.logger != nil {
		t.logger.Printf("crmclient: "+format, values...)
	}
}
