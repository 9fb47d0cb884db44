package crmclient

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const mostSignatures = 16

var unixTime = regexp.MustCompile(`^[0-9]{1,12}$`)

// An Event is the body of a webhook request.
type Event struct {
	// ID is the webhook-id of the request: the same for every try to send this event.
	ID        string
	Type      string
	Timestamp string
	Data      Members
	// Members are all members of the body.
	Members Members
}

// A Verifier verifies webhook requests (Standard Webhooks 1.0).
type Verifier struct {
	// Secrets begin with whsec_. While a secret is rotated, both are valid.
	Secrets []string
	// Tolerance is the age that is accepted, and the time ahead; 5 minutes if 0.
	Tolerance time.Duration
	// Now is time.Now if nil.
	Now func() time.Time
}

// Verify returns the event of a genuine request, and a *SignatureError for any other one. It needs the body as it was
// received: decoding and encoding it again may change what was signed.
func Verify(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return Verifier{Secrets: secrets}.Verify(body, header)
}

// Verify is as the function Verify.
func (v Verifier) Verify(body []byte, header http.Header) (*Event, error) {
	keys, err := v.keys()
	if err != nil {
		return nil, err
	}
	id, sentAt, signatures, err := claim(header)
	if err != nil {
		return nil, err
	}
	if !isSigned(keys, signatures, append([]byte(id+"."+sentAt+"."), body...)) {
		return nil, unsigned("signature_mismatch", "signed with another secret, or the body was changed on its way")
	}
	if err := v.checkAge(sentAt); err != nil {
		return nil, err
	}
	value, err := parseJSON(body)
	members, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, unsigned("malformed_header", "the signature is genuine, and the body is not a JSON object")
	}
	event := &Event{ID: id, Members: members, Type: Members(members).text("type"), Timestamp: Members(members).text("timestamp")}
	event.Data, _ = members["data"].(map[string]any)
	return event, nil
}

func (v Verifier) keys() ([][]byte, error) {
	if len(v.Secrets) == 0 {
		return nil, invalidInput("no secret is given; expected one that begins with whsec_")
	}
	var keys [][]byte
	for _, secret := range v.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, invalidInput("the secret is not base64 after whsec_")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// isSigned compares every pair, in constant time.
func isSigned(keys [][]byte, signatures []string, signed []byte) bool {
	isGenuine := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(signed)
		expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range signatures {
			if hmac.Equal([]byte(signature), []byte(expected)) {
				isGenuine = true
			}
		}
	}
	return isGenuine
}

func claim(header http.Header) (id, sentAt string, signatures []string, err error) {
	id, sentAt = inAnyCase(header, "webhook-id"), inAnyCase(header, "webhook-timestamp")
	signature := inAnyCase(header, "webhook-signature")
	if id == "" && sentAt == "" && signature == "" {
		return "", "", nil, unsigned("no_signature", "the request has no webhook-signature")
	}
	if id == "" || signature == "" || !unixTime.MatchString(sentAt) {
		return "", "", nil, unsigned("malformed_header", "webhook-id, webhook-timestamp or webhook-signature is missing or malformed")
	}
	for _, each := range strings.Split(signature, " ") {
		if strings.HasPrefix(each, "v1,") {
			signatures = append(signatures, strings.TrimPrefix(each, "v1,"))
		}
	}
	if len(signatures) > mostSignatures {
		return "", "", nil, unsigned("malformed_header", fmt.Sprintf("%d signatures; expected at most %d", len(signatures), mostSignatures))
	}
	return id, sentAt, signatures, nil
}

// inAnyCase: the headers of other sources than net/http are not canonical.
func inAnyCase(header http.Header, name string) string {
	for given, values := range header {
		if strings.EqualFold(given, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

func (v Verifier) checkAge(sentAt string) error {
	at, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil {
		return unsigned("malformed_header", "webhook-timestamp is not a number of seconds")
	}
	now, tolerance := time.Now(), v.Tolerance
	if v.Now != nil {
		now = v.Now()
	}
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	age := now.Sub(time.Unix(at, 0))
	if age > tolerance {
		return unsigned("stale", fmt.Sprintf("signed %.0f s ago; expected at most %.0f s", age.Seconds(), tolerance.Seconds()))
	}
	if -age > tolerance {
		return unsigned("future", fmt.Sprintf("signed %.0f s ahead of the clock of this machine", -age.Seconds()))
	}
	return nil
}

func unsigned(reason, message string) error { return &SignatureError{Reason: reason, message: message} }
