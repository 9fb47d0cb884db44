package crmclient

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// A WriteOption changes a create, an update or a delete.
type WriteOption func(*call)

// IdempotencyKey makes a create or an update happen once across runs of a program. Without it, each call has a new key.
func IdempotencyKey(key string) WriteOption { return func(c *call) { c.idempotencyKey = key } }

// IfMatch makes a change or a delete happen only while the record has this version.
func IfMatch[V string | int64](version V) WriteOption {
	return func(c *call) { c.ifMatch = fmt.Sprint(version) }
}

// A seq is a list that is read while it is consumed. From Go 1.23 on, `for record, err := range seq` reads it.
type seq[T any] func(yield func(T, error) bool)

// Collect reads a list to its end.
func Collect[T any](list func(yield func(T, error) bool)) ([]T, error) {
	var all []T
	var failure error
	list(func(item T, err error) bool {
		if err != nil {
			failure = err
			return false
		}
		all = append(all, item)
		return true
	})
	return all, failure
}

// listing is what a list request is made of.
type listing struct {
	path     string
	ids      []string
	plural   string
	filters  map[string]string
	limit    int
	pageSize int
	cursor   string
}

func (l listing) target(basePath string) (string, error) {
	if l.limit < 0 || l.pageSize < 0 {
		return "", invalidInput("Limit is %d and PageSize %d; expected numbers above 0, or 0 for none", l.limit, l.pageSize)
	}
	size := l.pageSize
	if size == 0 {
		size = 100
		if l.limit > 0 && l.limit < size {
			size = l.limit
		}
	}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	if l.cursor != "" {
		query.Set("cursor", l.cursor)
	}
	for name, value := range l.filters {
		if value != "" {
			query.Set(name, value)
		}
	}
	return target(basePath, l.path, l.ids, query)
}

func listPages[T any](ctx context.Context, t *transport, l listing, record func(Members) T) seq[Page[T]] {
	return func(yield func(Page[T], error) bool) {
		at, err := l.target(t.basePath())
		if err != nil {
			yield(Page[T]{}, err)
			return
		}
		t.pages(ctx, at, l.plural)(func(page rawPage, err error) bool {
			items := make([]T, 0, len(page.items))
			for _, each := range page.items {
				items = append(items, record(each))
			}
			return yield(Page[T]{Items: items, NextCursor: page.cursor}, err)
		})
	}
}

func listRecords[T any](ctx context.Context, t *transport, l listing, record func(Members) T) seq[T] {
	return func(yield func(T, error) bool) {
		left := l.limit
		listPages(ctx, t, l, record)(func(page Page[T], err error) bool {
			if err != nil {
				var none T
				return yield(none, err)
			}
			for _, item := range page.Items {
				left--
				// With a limit, nothing is requested after its last record.
				if !yield(item, nil) || left == 0 {
					return false
				}
			}
			return true
		})
	}
}

// sending is what a request for one record is made of.
type sending struct {
	method  string
	path    string
	ids     []string
	members Members
	options []WriteOption
}

func (t *transport) send(ctx context.Context, s sending) (*answer, error) {
	at, err := target(t.basePath(), s.path, s.ids, nil)
	if err != nil {
		return nil, err
	}
	c := &call{method: s.method, target: at}
	if s.members != nil {
		if c.body, err = writeJSON(s.members); err != nil {
			return nil, err
		}
	}
	for _, option := range s.options {
		option(c)
	}
	return t.request(ctx, c)
}

func sendForRecord[T any](ctx context.Context, t *transport, s sending, record func(Members) T) (*T, error) {
	found, err := t.send(ctx, s)
	if err != nil {
		return nil, err
	}
	members, isObject := found.value.(map[string]any)
	if inner, nested := members["data"].(map[string]any); nested && members["id"] == nil {
		members = inner
	}
	if !isObject && found.value == nil && s.method == http.MethodPatch {
		// Other servers answer a change with 204.
		members, isObject = Members{"id": s.ids[len(s.ids)-1]}, true
	}
	if !isObject {
		return nil, badAnswer(found, "the answer contains no record")
	}
	result := record(Members(members).withID())
	return &result, nil
}
