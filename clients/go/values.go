package crmclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"unicode/utf8"
)

// Members are the members of a JSON object. Numbers are json.Number, which keeps all their digits.
type Members map[string]any

// An Optional is a value that may be absent. Null removes a member in a change.
type Optional[T any] struct {
	value  T
	isSet  bool
	isNull bool
}

// Set is an Optional with a value.
func Set[T any](value T) Optional[T] { return Optional[T]{value: value, isSet: true} }

// Null is an Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{isNull: true} }

func (o Optional[T]) put(members Members, name string) {
	if o.isSet {
		members[name] = o.value
	} else if o.isNull {
		members[name] = nil
	}
}

func copied(extra Members) Members {
	members := make(Members, len(extra)+8)
	for name, value := range extra {
		members[name] = value
	}
	return members
}

// A member of another type than the described one is in Members alone.
func (m Members) text(name string) string {
	text, _ := m[name].(string)
	return text
}

func (m Members) number(name string) json.Number {
	value, _ := m[name].(json.Number)
	return value
}

func (m Members) integer(name string) int64 {
	value, err := m.number(name).Int64()
	if err != nil {
		return 0
	}
	return value
}

func (m Members) texts(name string) []string {
	list, _ := m[name].([]any)
	var texts []string
	for _, each := range list {
		if text, isText := each.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}

// withID: the id of a record is text, even if the server uses numbers.
func (m Members) withID() Members {
	if id, isNumber := m["id"].(json.Number); isNumber {
		m["id"] = id.String()
	}
	return m
}

// parseJSON keeps the digits of numbers.
func parseJSON(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

func writeJSON(members Members) ([]byte, error) {
	if err := checkValue(map[string]any(members), 0); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return nil, invalidInput("the values cannot be written as JSON: %v", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

const deepest = 100

// checkValue refuses what encoding/json would change without a word, or follow without an end.
func checkValue(value any, depth int) error {
	if depth > deepest {
		return invalidInput("the value contains itself, or is nested too deeply")
	}
	switch typed := value.(type) {
	case string:
		if !utf8.ValidString(typed) {
			return invalidInput("a text is not valid UTF-8")
		}
	case float64:
		if math.IsNaN(typed) || math.IsInf(typed, 0) {
			return invalidInput("%v is not a JSON number", typed)
		}
	case Members:
		return checkValue(map[string]any(typed), depth)
	case map[string]any:
		for name, member := range typed {
			if !utf8.ValidString(name) {
				return invalidInput("the name of a member is not valid UTF-8")
			}
			if err := checkValue(member, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range typed {
			if err := checkValue(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
