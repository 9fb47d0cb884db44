package crmclient

import (
	"math"
	"math/rand"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 8 * time.Second
)

var number = regexp.MustCompile(`^\d{1,15}(?:\.\d+)?$`)

// isTemporary tells of an outage. A try may have taken effect, except with 503 and Retry-After.
func isTemporary(status int) bool {
	switch status {
	case 408, 499, 500, 502, 503, 504:
		return true
	}
	return false
}

// backoff is exponential with jitter: clients that failed together do not retry together.
func backoff(tries int) time.Duration {
	full := math.Min(float64(firstWait)*math.Pow(2, float64(tries-1)), float64(longestWait))
	return time.Duration(full * (0.5 + random()/2))
}

func jitter() time.Duration {
	return time.Duration(random() * float64(firstWait))
}

// random has a seed of its own: before Go 1.20 the shared one is the same in every process.
func random() float64 {
	return rand.New(rand.NewSource(time.Now().UnixNano())).Float64()
}

// retryAfter is the wait by Retry-After; for an exceeded limit also by the rate limit headers.
func retryAfter(status int, header http.Header) (time.Duration, bool) {
	if stated, ok := retryAfterHeader(header); ok || !isLimit(status, header) {
		return stated, ok
	}
	_, reset, ok := rateSignal(header)
	return reset, ok
}

// isLimit: 429, and a 403 that asks for a wait or says that no requests are left.
func isLimit(status int, header http.Header) bool {
	if status != http.StatusForbidden {
		return status == http.StatusTooManyRequests
	}
	_, asks := retryAfterHeader(header)
	left, _, ok := rateSignal(header)
	return asks || (ok && left == 0)
}

func retryAfterHeader(header http.Header) (time.Duration, bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if number.MatchString(text) {
		return seconds(parsed(text)), true
	}
	return untilDate(text, header)
}

// rateSignal returns the requests left, and the time until the reset.
func rateSignal(header http.Header) (left float64, reset time.Duration, ok bool) {
	if left, reset, ok = combined(header); ok {
		return left, reset, ok
	}
	for _, prefix := range []string{"RateLimit", "X-RateLimit", "X-Rate-Limit"} {
		if left, reset, ok = separate(header, prefix); ok {
			return left, reset, ok
		}
	}
	remaining := header.Get("X-HubSpot-RateLimit-Remaining")
	window := header.Get("X-HubSpot-RateLimit-Interval-Milliseconds")
	if number.MatchString(remaining) && number.MatchString(window) {
		return parsed(remaining), seconds(parsed(window) / 1000), true
	}
	return 0, 0, false
}

var (
	quoted    = regexp.MustCompile(`"[^"]*"`)
	remaining = regexp.MustCompile(`(?:^|[,\s])remaining\s*=`)
)

// combined: `"default";r=0;t=60`, the tightest of several, or `limit=2, remaining=0, reset=60`.
func combined(header http.Header) (left float64, reset time.Duration, ok bool) {
	text := quoted.ReplaceAllString(strings.Join(header.Values("RateLimit"), ", "), `""`)
	items, leftName, resetName := strings.Split(text, ","), "r", "t"
	if remaining.MatchString(text) {
		items, leftName, resetName = []string{strings.ReplaceAll(text, ",", ";")}, "remaining", "reset"
	}
	for _, item := range items {
		values := map[string]string{}
		for _, part := range strings.Split(item, ";") {
			if name, value, found := strings.Cut(strings.TrimSpace(part), "="); found {
				values[name] = value
			}
		}
		if !number.MatchString(values[leftName]) || !number.MatchString(values[resetName]) {
			continue
		}
		itemLeft, itemReset := parsed(values[leftName]), untilReset(parsed(values[resetName]), header)
		if !ok || itemLeft < left || (itemLeft == left && itemReset > reset) {
			left, reset, ok = itemLeft, itemReset, true
		}
	}
	return left, reset, ok
}

func separate(header http.Header, prefix string) (float64, time.Duration, bool) {
	left := strings.TrimSpace(header.Get(prefix + "-Remaining"))
	reset := strings.TrimSpace(header.Get(prefix + "-Reset"))
	if !number.MatchString(left) {
		return 0, 0, false
	}
	if number.MatchString(reset) {
		return parsed(left), untilReset(parsed(reset), header), true
	}
	until, ok := untilDate(reset, header)
	return parsed(left), until, ok
}

// untilReset: large numbers are times, milliseconds or seconds since 1970.
func untilReset(value float64, header http.Header) time.Duration {
	if value > 1e12 {
		value /= 1000
	}
	if value > 1e9 {
		return notNegative(time.Unix(0, int64(value*1e9)).Sub(serverTime(header)))
	}
	return seconds(value)
}

func untilDate(text string, header http.Header) (time.Duration, bool) {
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return notNegative(at.Sub(serverTime(header))), true
}

// serverTime is by the clock of the server, where its response has a Date.
func serverTime(header http.Header) time.Time {
	if stated, err := http.ParseTime(header.Get("Date")); err == nil {
		return stated
	}
	return time.Now()
}

func parsed(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.Inf(1)
	}
	return value
}

// seconds does not overflow: a Duration has at most 292 years.
func seconds(value float64) time.Duration {
	if value > 9e9 {
		return math.MaxInt64
	}
	return time.Duration(value * float64(time.Second))
}

func notNegative(wait time.Duration) time.Duration {
	if wait < 0 {
		return 0
	}
	return wait
}
