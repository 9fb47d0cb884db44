package crmclient

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

const mostCharacters = 300

var unsafeCharacters = regexp.MustCompile(`[\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]+`)

// safeText is one line without control characters, escape sequences and direction overrides.
func safeText(text string) string {
	return shortened(strings.TrimSpace(unsafeCharacters.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), " ")), mostCharacters)
}

func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// statusError is the error of a status that is no success.
func (t *transport) statusError(c *call, got *response) *Error {
	problem := problemOf(got.body)
	kind := kindOf(got.status)
	if isLimit(got.status, got.header) {
		kind = ErrRateLimited
	}
	requestID := t.firstText(problem, "request_id")
	if requestID == "" {
		requestID = t.shown(got.header.Get("X-Request-Id"))
	}
	return &Error{
		Kind:       kind,
		Status:     got.status,
		ServerCode: t.firstText(problem, "code"),
		RequestID:  requestID,
		Fields:     t.fieldErrors(problem["errors"]),
		message:    fmt.Sprintf("cannot %s: %s", c, t.reason(problem, got.status)),
	}
}

func (t *transport) reason(problem Members, status int) string {
	if status >= http.StatusMultipleChoices && status < http.StatusBadRequest {
		return fmt.Sprintf("the server redirects to another address, and redirects are not followed (%d)", status)
	}
	if message := t.firstText(problem, "detail", "message", "title", "error_description", "error"); message != "" {
		return fmt.Sprintf("%s (%d)", message, status)
	}
	return fmt.Sprintf("the server answered %d", status)
}

// problemOf is the object of a problem document; empty for HTML and all else that is not a JSON object.
func problemOf(body []byte) Members {
	value, err := parseJSON(body)
	problem, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return Members{}
	}
	if inner, nested := problem["error"].(map[string]any); nested {
		for name, member := range inner {
			problem[name] = member
		}
	}
	return problem
}

func (t *transport) fieldErrors(errors any) []FieldError {
	list, _ := errors.([]any)
	var found []FieldError
	for _, each := range list {
		if entry, isObject := each.(map[string]any); isObject {
			found = append(found, FieldError{
				Pointer:   pointer(t.firstText(entry, "pointer", "field")),
				Code:      t.firstText(entry, "code"),
				Detail:    t.firstText(entry, "detail", "message"),
				Parameter: t.firstText(entry, "parameter"),
			})
		}
	}
	return found
}

var (
	index  = regexp.MustCompile(`\[([^\]]*)\]`)
	inStep = strings.NewReplacer("~", "~0", "/", "~1", ".", "/")
)

// pointer is that of RFC 6901. Servers also send a URI fragment, or a path such as lines[0].amount.
func pointer(place string) string {
	place = strings.TrimPrefix(place, "#")
	if place == "" || strings.HasPrefix(place, "/") {
		return place
	}
	return "/" + inStep.Replace(index.ReplaceAllString(place, ".$1"))
}

func (t *transport) firstText(object Members, names ...string) string {
	for _, name := range names {
		if text, isText := object[name].(string); isText && strings.TrimSpace(text) != "" {
			return t.shown(text)
		}
	}
	return ""
}

// shown is foreign text without the key, made safe. Redacted before it is cut: a part of the key is not recognised.
func (t *transport) shown(text string) string {
	return safeText(strings.ReplaceAll(text, t.key(), "[key]"))
}
