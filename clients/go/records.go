package crmclient

import (
	"context"
	"net/http"
)

// A Record is a record of any object, as the server sent it.
type Record struct {
	ID        string `json:"id"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
	Version   int64  `json:"version"`

	// All members, as the server sent them.
	Members Members `json:"-"`
}

func newRecordFromMembers(members Members) Record {
	return Record{
		ID:        members.text("id"),
		CreatedAt: members.text("created_at"),
		UpdatedAt: members.text("updated_at"),
		Version:   members.integer("version"),
		Members:   members,
	}
}

// A RecordsQuery selects records. Filters are by their names, such as company_id.
type RecordsQuery struct {
	Filters  map[string]string
	Limit    int
	PageSize int
	Cursor   string
}

// Records are the records of one object.
type Records struct {
	transport *transport
	noun      string
}

// Records are the records of any object of the server by its noun, those of its users included.
func (c *Client) Records(noun string) *Records { return &Records{c.transport, noun} }

// All lists each record, newest first where the server sorts so; pages are requested as records are consumed.
func (r *Records) All(ctx context.Context) func(yield func(Record, error) bool) {
	return r.List(ctx, RecordsQuery{})
}

// List is All with a query.
func (r *Records) List(ctx context.Context, query RecordsQuery) func(yield func(Record, error) bool) {
	return listRecords(ctx, r.transport, r.listing(query), newRecordFromMembers)
}

// Pages is the same list in whole pages; Limit does not apply.
func (r *Records) Pages(ctx context.Context, query RecordsQuery) func(yield func(Page[Record], error) bool) {
	return listPages(ctx, r.transport, r.listing(query), newRecordFromMembers)
}

// Create happens once, also if it is retried. Pass IdempotencyKey to make it happen once across runs.
func (r *Records) Create(ctx context.Context, fields Members, options ...WriteOption) (*Record, error) {
	s := r.sending(http.MethodPost, options)
	s.members = copied(fields)
	return sendForRecord(ctx, r.transport, s, newRecordFromMembers)
}

// Get returns ErrNotFound for an unknown id.
func (r *Records) Get(ctx context.Context, id string) (*Record, error) {
	return sendForRecord(ctx, r.transport, r.sending(http.MethodGet, nil, id), newRecordFromMembers)
}

// Update is a JSON merge patch: nil removes a member.
func (r *Records) Update(ctx context.Context, id string, patch Members, options ...WriteOption) (*Record, error) {
	s := r.sending(http.MethodPatch, options, id)
	s.members = copied(patch)
	return sendForRecord(ctx, r.transport, s, newRecordFromMembers)
}

// Delete returns ErrNotFound for an unknown id.
func (r *Records) Delete(ctx context.Context, id string, options ...WriteOption) error {
	_, err := r.transport.send(ctx, r.sending(http.MethodDelete, options, id))
	return err
}

func (r *Records) listing(query RecordsQuery) listing {
	return listing{
		path: "/v1/{id}", ids: []string{r.noun}, plural: r.noun, filters: query.Filters,
		limit: query.Limit, pageSize: query.PageSize, cursor: query.Cursor,
	}
}

func (r *Records) sending(method string, options []WriteOption, ids ...string) sending {
	path := "/v1/{id}"
	for range ids {
		path += "/{id}"
	}
	return sending{method: method, path: path, ids: append([]string{r.noun}, ids...), options: options}
}
