package crmclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// A Page is a part of a list.
type Page[T any] struct {
	Items []T
	// NextCursor is for Cursor of a later list; empty on the last page, and where no cursor leads to the next one.
	NextCursor string
}

type rawPage struct {
	items  []Members
	cursor string
}

// following is what leads to the next page.
type following struct{ target, cursor string }

var (
	itemNames = []string{"data", "results", "items", "records"}
	// Members that hold a cursor, and the parameter in which it is sent back.
	cursors = [][2]string{
		{"next_cursor", "cursor"}, {"nextCursor", "cursor"}, {"next_page_token", "page_token"}, {"nextPageToken", "pageToken"},
	}
	holderNames  = []string{"meta", "pagination", "paging", "additional_data"}
	addressNames = []string{"next", "next_url", "next_page_url", "@odata.nextLink"}
	links        = regexp.MustCompile(`<([^>]*)>([^<]*)`)
	nextRelation = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)`)
)

// pages yields each page when it is needed. A list that leads to itself is an error, not a loop.
func (t *transport) pages(ctx context.Context, at, plural string) func(yield func(rawPage, error) bool) {
	return func(yield func(rawPage, error) bool) {
		seen, next := map[string]bool{at: true}, at
		for next != "" {
			page, then, err := t.page(ctx, next, plural, seen)
			if !yield(page, err) || err != nil {
				return
			}
			next = then
			seen[next] = true
		}
	}
}

func (t *transport) page(ctx context.Context, at, plural string, seen map[string]bool) (rawPage, string, error) {
	found, err := t.request(ctx, &call{method: http.MethodGet, target: at})
	if err != nil {
		return rawPage{}, "", err
	}
	items, ok := itemsOf(found.value, plural)
	if !ok {
		return rawPage{}, "", badAnswer(found, "the answer contains no list of records")
	}
	then, err := t.following(found, items, at)
	if err != nil {
		return rawPage{}, "", err
	}
	if then.target != "" && seen[then.target] {
		return rawPage{}, "", badAnswer(found, "the next page is one that was already read")
	}
	return rawPage{items: items, cursor: then.cursor}, then.target, nil
}

func itemsOf(value any, plural string) ([]Members, bool) {
	list, isList := listIn(value, plural)
	items := make([]Members, 0, len(list))
	for _, each := range list {
		record, isObject := each.(map[string]any)
		if !isObject {
			return nil, false
		}
		items = append(items, Members(record).withID())
	}
	return items, isList
}

func listIn(value any, plural string) ([]any, bool) {
	object, isObject := value.(map[string]any)
	if !isObject {
		list, isList := value.([]any)
		return list, isList
	}
	for _, name := range append(append([]string{}, itemNames...), plural) {
		if list, isList := object[name].([]any); isList {
			return list, true
		}
		if inner, nested := object[name].(map[string]any); nested {
			if list, isList := inner[plural].([]any); isList {
				return list, true
			}
		}
	}
	edges, isList := object["edges"].([]any)
	nodes := make([]any, len(edges))
	for at, edge := range edges {
		if holder, isHolder := edge.(map[string]any); isHolder {
			nodes[at] = holder["node"]
		}
	}
	return nodes, isList
}

func (t *transport) following(found *answer, items []Members, at string) (following, error) {
	value, _ := found.value.(map[string]any)
	holders := append([]Members{value}, objectsIn(value, holderNames...)...)
	for _, holder := range holders {
		for _, pair := range cursors {
			if cursor := cursorText(holder[pair[0]]); cursor != "" {
				return withCursor(at, pair[1], cursor), nil
			}
		}
	}
	if after := relayed(holders); after != "" {
		return withCursor(at, "after", after), nil
	}
	if address := addressIn(value, found.header); address != "" {
		return t.sameOrigin(found, address, at)
	}
	for _, holder := range holders {
		if holder["has_more"] != true && holder["hasMore"] != true {
			continue
		}
		if len(items) == 0 || items[len(items)-1].text("id") == "" {
			return following{}, badAnswer(found, "the answer says that there are more records, and not where")
		}
		return withCursor(at, "starting_after", items[len(items)-1].text("id")), nil
	}
	return following{}, nil
}

func objectsIn(value Members, names ...string) []Members {
	var found []Members
	for _, name := range names {
		if object, isObject := value[name].(map[string]any); isObject {
			found = append(found, object)
		}
	}
	return found
}

// relayed: paging.next.after and pageInfo.endCursor, both sent as after.
func relayed(holders []Members) string {
	for _, holder := range holders {
		for _, next := range objectsIn(holder, "next") {
			if after := cursorText(next["after"]); after != "" {
				return after
			}
		}
		for _, info := range objectsIn(holder, "pageInfo") {
			if after := cursorText(info["endCursor"]); after != "" && info["hasNextPage"] == true {
				return after
			}
		}
	}
	return ""
}

func cursorText(value any) string {
	switch typed := value.(type) {
	case string:
		return typed
	case json.Number:
		return typed.String()
	}
	return ""
}

func addressIn(value Members, header http.Header) string {
	names := append([]string{"links", "_links"}, holderNames...)
	for _, holder := range append([]Members{value}, objectsIn(value, names...)...) {
		for _, name := range addressNames {
			if address := holder.text(name); address != "" {
				return address
			}
			for _, inner := range objectsIn(holder, name) {
				if address := inner.text("href") + inner.text("link"); address != "" {
					return address
				}
			}
		}
	}
	for _, link := range links.FindAllStringSubmatch(strings.Join(header.Values("Link"), ", "), -1) {
		if nextRelation.MatchString(link[2]) {
			return link[1]
		}
	}
	return ""
}

// sameOrigin: the key goes to no other origin, so a next link may not lead there.
func (t *transport) sameOrigin(found *answer, address, at string) (following, error) {
	base, err := url.Parse(origin(t.base) + at)
	if err != nil {
		return following{}, badAnswer(found, "the address of the page is malformed")
	}
	next, err := base.Parse(address)
	if err != nil {
		return following{}, badAnswer(found, "the address of the next page is malformed")
	}
	if origin(next) != origin(t.base) || next.User != nil {
		return following{}, badAnswer(found, "the next page is at another origin, where the key must not be sent")
	}
	return following{target: next.RequestURI()}, nil
}

// withCursor is the same request from there on.
func withCursor(at, name, cursor string) following {
	path, query, _ := strings.Cut(at, "?")
	var pairs []string
	for _, pair := range strings.Split(query, "&") {
		if given, _, _ := strings.Cut(pair, "="); given != "" && given != name && given != "cursor" {
			pairs = append(pairs, pair)
		}
	}
	pairs = append(pairs, encoded(url.Values{name: {cursor}}))
	return following{target: path + "?" + strings.Join(pairs, "&"), cursor: cursor}
}
