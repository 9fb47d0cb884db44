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
	members, _ := value.(map[string]any)
	kind, hasType := members["type"].(string)
	timestamp, hasTime := members["timestamp"].(string)
	data, hasData := members["data"].(map[string]any)
	if err != nil || !hasType || !hasTime || !hasData {
		return nil, unsigned("malformed_request", "the signature is genuine, and the body is no event")
	}
	return &Event{ID: id, Members: members, Type: kind, Timestamp: timestamp, Data: data}, nil
}

func (v Verifier) keys() ([][]byte, error) {
	if len(v.Secrets) == 0 {
		return nil, invalidInput("no secret is given; expected one that begins with whsec_")
	}
	var keys [][]byte
	for _, secret := range v.Secrets {
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimPrefix(secret, "whsec_"), "="))
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
	values := make([]string, 0, 3)
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		value, err := only(header, name)
		if err != nil {
			return "", "", nil, err
		}
		values = append(values, value)
	}
	id, sentAt, signature := values[0], values[1], values[2]
	if id == "" && sentAt == "" && signature == "" {
		return "", "", nil, unsigned("no_signature", "the request has no webhook-signature")
	}
	// The signed text is id.timestamp.body: with a dot, the end of the id could be read as the timestamp.
	if id == "" || strings.Contains(id, ".") || signature == "" || !unixTime.MatchString(sentAt) {
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

// only is empty if the header is missing. The headers of other sources than net/http are not canonical; one that was
// sent twice could be read differently by others.
func only(header http.Header, name string) (string, error) {
	var all []string
	for given, values := range header {
		if strings.EqualFold(given, name) {
			all = append(all, values...)
		}
	}
	if len(all) > 1 {
		return "", unsigned("malformed_header", fmt.Sprintf("%s was sent %d times", name, len(all)))
	}
	return strings.Join(all, ""), nil
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
	age := now.Truncate(time.Second).Sub(time.Unix(at, 0))
	if age > tolerance {
		return unsigned("stale", fmt.Sprintf("signed %.0f s ago; expected at most %.0f s", age.Seconds(), tolerance.Seconds()))
	}
	if -age > tolerance {
		return unsigned("future", fmt.Sprintf("signed %.0f s ahead of the clock of this machine", -age.Seconds()))
	}
	return nil
}

func unsigned(reason, message string) error { return &SignatureError{Reason: reason, message: message} }
