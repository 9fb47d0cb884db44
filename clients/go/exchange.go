package crmclient

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// Servers close idle connections after some seconds; a request on a closed one would be lost.
	idleTime  = 3 * time.Second
	mostBytes = 64 << 20
)

type response struct {
	status int
	header http.Header
	body   []byte
}

// noResponse: no complete response.
type noResponse struct {
	reason string
	// isSent: the server may have received the request.
	isSent    bool
	isTimeout bool
	// isFinal: another try does not help.
	isFinal bool
}

func newHTTPClient() *http.Client {
	return &http.Client{
		// No Proxy: the proxies of the environment are not used.
		Transport: &http.Transport{IdleConnTimeout: idleTime, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// exchange returns an error for an argument that cannot be sent.
func (t *transport) exchange(ctx context.Context, c *call) (*response, *noResponse, error) {
	header, err := t.headers(c)
	if err != nil {
		return nil, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var isSent atomic.Bool
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { isSent.Store(true) },
	})
	request, err := http.NewRequestWithContext(traced, c.method, origin(t.base)+c.target, nil)
	if err != nil {
		return nil, nil, invalidInput("%s is not an address that can be requested", c)
	}
	if c.body != nil {
		// Without GetBody, net/http has no retries of its own, which would be hidden from those of the client.
		request.Body = io.NopCloser(bytes.NewReader(c.body))
		request.ContentLength = int64(len(c.body))
	}
	request.Header = header
	got, err := t.http.Do(request)
	if err != nil {
		return nil, failureOf(err, isSent.Load(), limited), nil
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, mostBytes+1))
	if err != nil {
		return nil, failureOf(err, true, limited), nil
	}
	if len(body) > mostBytes {
		return nil, &noResponse{reason: "sent more than 64 MiB", isSent: true, isFinal: true}, nil
	}
	return &response{status: got.StatusCode, header: got.Header, body: body}, nil, nil
}

func failureOf(err error, isSent bool, limited context.Context) *noResponse {
	switch {
	case limited.Err() != nil && isSent:
		return &noResponse{reason: "did not answer in full in time", isSent: true, isTimeout: true}
	case limited.Err() != nil:
		return &noResponse{reason: "could not be reached in time", isTimeout: true}
	case isTLS(err):
		return &noResponse{reason: "no TLS connection: " + cause(err), isFinal: true}
	case strings.Contains(err.Error(), "malformed HTTP"):
		return &noResponse{reason: "does not speak HTTP", isSent: true, isFinal: true}
	case isSent:
		return &noResponse{reason: "closed the connection before its answer was complete", isSent: true}
	}
	return &noResponse{reason: "cannot be reached: " + cause(err)}
}

func isTLS(err error) bool {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &record)
}

// cause is the innermost error, without the method and the address that the message of the client has already.
func cause(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return safeText(err.Error())
}

// newKey is a random UUID.
func newKey() (string, error) {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", fmt.Errorf("no idempotency key: %w", err)
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), nil
}
