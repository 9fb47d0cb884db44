// Package crmclient is a client of the CRM service: contacts, deals, notes, pipelines and webhooks.
package crmclient

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"
)

// A Client is a client of one CRM. The key goes to the origin of its base URL and to no other. Goroutines may share it.
type Client struct {
	Resources
	transport *transport
}

// An Option changes a new client.
type Option func(*options)

type options struct {
	timeout           time.Duration
	maxWait           time.Duration
	allowInsecureHTTP bool
	onWait            func(wait time.Duration, reason string)
	logger            *log.Logger
}

// WithTimeout is the time that one request may take; 30 seconds unless given.
func WithTimeout(timeout time.Duration) Option { return func(o *options) { o.timeout = timeout } }

// WithMaxWait is the time that one call waits at most for rate limits and outages; 60 seconds unless given.
func WithMaxWait(most time.Duration) Option { return func(o *options) { o.maxWait = most } }

// WithInsecureHTTP permits plain http to other machines, where anyone on the way can read the key.
func WithInsecureHTTP() Option { return func(o *options) { o.allowInsecureHTTP = true } }

// WithOnWait is called before waits of a second or more.
func WithOnWait(onWait func(wait time.Duration, reason string)) Option {
	return func(o *options) { o.onWait = onWait }
}

// WithLogger logs each try and each wait.
func WithLogger(logger *log.Logger) Option { return func(o *options) { o.logger = logger } }

// New makes a client. An empty baseURL or apiKey is that of the variables CRM_BASE_URL and CRM_API_KEY.
func New(baseURL, apiKey string, given ...Option) (*Client, error) {
	chosen := options{timeout: 30 * time.Second, maxWait: 60 * time.Second}
	for _, option := range given {
		option(&chosen)
	}
	if baseURL == "" {
		baseURL = os.Getenv("CRM_BASE_URL")
	}
	if apiKey == "" {
		apiKey = os.Getenv("CRM_API_KEY")
	}
	base, err := checkedURL(baseURL, chosen.allowInsecureHTTP)
	if err != nil {
		return nil, err
	}
	if err := checkedKey(apiKey); err != nil {
		return nil, err
	}
	if chosen.timeout <= 0 || chosen.maxWait < 0 {
		return nil, invalidInput("the timeout is %v and the longest wait %v; expected a timeout above 0", chosen.timeout, chosen.maxWait)
	}
	t := &transport{
		base:    base,
		key:     func() string { return apiKey },
		http:    newHTTPClient(),
		timeout: chosen.timeout,
		maxWait: chosen.maxWait,
		onWait:  chosen.onWait,
		logger:  chosen.logger,
	}
	return &Client{Resources: newResources(t), transport: t}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.transport.http.CloseIdleConnections() }

// String names the server.
func (c *Client) String() string { return "Client of " + origin(c.transport.base) }

// Format prints String for every verb.
func (c *Client) Format(state fmt.State, _ rune) {
	// The state of fmt keeps no errors.
	_, _ = io.WriteString(state, c.String())
}
