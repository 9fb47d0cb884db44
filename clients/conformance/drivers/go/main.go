// The driver of the Go client.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"crmclient"
)

type object = map[string]any

type driver struct {
	client   *crmclient.Client
	pageSize int
}

// errLacking: the client has no such call.
var errLacking = errors.New("lacking")

func main() {
	d := &driver{}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		var step object
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&step); err != nil {
			log.Fatal(err)
		}
		reply := d.reply(step)
		reply["id"] = step["id"]
		if err := json.NewEncoder(os.Stdout).Encode(reply); err != nil {
			log.Fatal(err)
		}
	}
}

func (d *driver) reply(step object) object {
	given, _ := step["with"].(object)
	value, err := d.run(step, given)
	if err == errLacking {
		return object{"isLacking": true}
	}
	if err != nil {
		return object{"error": shownError(err)}
	}
	return object{"value": value}
}

func (d *driver) run(step, given object) (any, error) {
	switch step["do"] {
	case "open":
		return nil, d.open(given)
	case "close":
		if d.client != nil {
			d.client.Close()
		}
		d.client = nil
		return nil, nil
	}
	return d.call(text(step, "call"), given)
}

func (d *driver) open(given object) error {
	d.pageSize = int(integer(given, "pageSize"))
	client, err := crmclient.New(text(given, "baseUrl"), text(given, "apiKey"),
		crmclient.WithTimeout(time.Duration(integer(given, "timeoutMs"))*time.Millisecond),
		crmclient.WithMaxWait(time.Duration(integer(given, "maxWaitMs"))*time.Millisecond),
		// Everything that the client logs goes to stderr, where the key must not be.
		crmclient.WithLogger(log.New(os.Stderr, "", log.LstdFlags)))
	d.client = client
	return err
}

func (d *driver) call(name string, given object) (any, error) {
	switch name {
	case "webhooks.verify":
		return verify(given)
	case "client.show":
		return d.shown()
	}
	group, method, _ := strings.Cut(name, ".")
	if method == "list" {
		return d.list(context.Background(), group, given)
	}
	return d.write(context.Background(), name, given)
}

func (d *driver) shown() (any, error) {
	texts := []string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		texts = append(texts, fmt.Sprintf(verb, d.client), fmt.Sprintf(verb, *d.client), fmt.Sprintf(verb, d.client.Contacts), fmt.Sprintf(verb, *d.client.Contacts))
	}
	encoded, err := json.Marshal(d.client)
	return append(texts, string(encoded)), err
}

func (d *driver) list(ctx context.Context, group string, given object) (any, error) {
	filters, _ := given["filters"].(object)
	limit, cursor, parent := int(integer(given, "limit")), text(given, "cursor"), text(given, "parent")
	take := given["take"]
	switch group {
	case "records":
		query := crmclient.RecordsQuery{Filters: map[string]string{}, Limit: limit, PageSize: d.pageSize, Cursor: cursor}
		for name := range filters {
			query.Filters[name] = text(filters, name)
		}
		records := d.client.Records(text(given, "noun"))
		return taken(records.List(ctx, query), take, func(r crmclient.Record) crmclient.Members { return r.Members })
	case "contacts":
		query := crmclient.ContactsQuery{Email: text(filters, "email"), Limit: limit, PageSize: d.pageSize, Cursor: cursor}
		return taken(d.client.Contacts.List(ctx, query), take, func(r crmclient.Contact) crmclient.Members { return r.Members })
	case "deals":
		query := crmclient.DealsQuery{
			Stage: text(filters, "stage"), Name: text(filters, "name"), AmountGte: text(filters, "amount[gte]"),
			Limit: limit, PageSize: d.pageSize, Cursor: cursor,
		}
		return taken(d.client.Deals.List(ctx, query), take, func(r crmclient.Deal) crmclient.Members { return r.Members })
	case "notes":
		return taken(d.client.Notes.All(ctx, parent), take, func(r crmclient.Note) crmclient.Members { return r.Members })
	case "pipelines":
		return taken(d.client.Pipelines.All(ctx), take, func(r crmclient.Pipeline) crmclient.Members { return r.Members })
	case "stages":
		return taken(d.client.Stages.All(ctx, parent), take, func(r crmclient.Stage) crmclient.Members { return r.Members })
	case "webhooks":
		return taken(d.client.Webhooks.All(ctx), take, func(r crmclient.Webhook) crmclient.Members { return r.Members })
	}
	return nil, errLacking
}

func taken[T any](list func(yield func(T, error) bool), take any, members func(T) crmclient.Members) (any, error) {
	records, failure, most := []crmclient.Members{}, error(nil), int64(-1)
	if number, isNumber := take.(json.Number); isNumber {
		most, failure = number.Int64()
	}
	list(func(record T, err error) bool {
		if err != nil {
			failure = err
			return false
		}
		records = append(records, members(record))
		return int64(len(records)) != most
	})
	return records, failure
}

func (d *driver) write(ctx context.Context, name string, given object) (any, error) {
	id, parent, noun, fields := text(given, "id"), text(given, "parent"), text(given, "noun"), copied(given["fields"])
	options := writeOptions(given)
	switch name {
	case "contacts.create":
		return shownRecord(d.client.Contacts.Create(ctx, crmclient.NewContact{
			Name: optional(fields, "name"), Email: optional(fields, "email"), Phone: optional(fields, "phone"),
			Company: optional(fields, "company"), Extra: fields,
		}, options...))
	case "contacts.get":
		return shownRecord(d.client.Contacts.Get(ctx, id))
	case "contacts.update":
		return shownRecord(d.client.Contacts.Update(ctx, id, crmclient.ContactPatch{
			Name: optional(fields, "name"), Phone: optional(fields, "phone"), Extra: fields,
		}, options...))
	case "contacts.delete":
		return nil, d.client.Contacts.Delete(ctx, id, options...)
	case "deals.create":
		deal := crmclient.NewDeal{Name: text(fields, "name"), Stage: text(fields, "stage")}
		if amount, isNumber := fields["amount"].(json.Number); isNumber {
			deal.Amount = crmclient.Set(amount)
		}
		return shownRecord(d.client.Deals.Create(ctx, deal, options...))
	case "deals.get":
		return shownRecord(d.client.Deals.Get(ctx, id))
	case "deals.update":
		patch := crmclient.DealPatch{Name: optional(fields, "name"), Stage: optional(fields, "stage"), Extra: fields}
		return shownRecord(d.client.Deals.Update(ctx, id, patch, options...))
	case "deals.delete":
		return nil, d.client.Deals.Delete(ctx, id, options...)
	case "notes.create":
		return shownRecord(d.client.Notes.Create(ctx, parent, crmclient.NewNote{Body: text(fields, "body")}, options...))
	case "notes.delete":
		return nil, d.client.Notes.Delete(ctx, id, options...)
	case "records.create":
		return shownRecord(d.client.Records(noun).Create(ctx, fields, options...))
	case "records.get":
		return shownRecord(d.client.Records(noun).Get(ctx, id))
	case "records.update":
		return shownRecord(d.client.Records(noun).Update(ctx, id, fields, options...))
	case "records.delete":
		return nil, d.client.Records(noun).Delete(ctx, id, options...)
	}
	return d.writeWebhook(ctx, name, given)
}

func (d *driver) writeWebhook(ctx context.Context, name string, given object) (any, error) {
	id, fields, options := text(given, "id"), copied(given["fields"]), writeOptions(given)
	switch name {
	case "webhooks.create":
		webhook := crmclient.NewWebhook{URL: text(fields, "url")}
		events, _ := fields["events"].([]any)
		for _, event := range events {
			webhook.Events = append(webhook.Events, fmt.Sprint(event))
		}
		return shownRecord(d.client.Webhooks.Create(ctx, webhook, options...))
	case "webhooks.get":
		return shownRecord(d.client.Webhooks.Get(ctx, id))
	case "webhooks.update":
		return shownRecord(d.client.Webhooks.Update(ctx, id, crmclient.WebhookPatch{Status: optional(fields, "status")}, options...))
	case "webhooks.delete":
		return nil, d.client.Webhooks.Delete(ctx, id, options...)
	case "webhooks.test":
		return shownRecord(d.client.Webhooks.Test(ctx, id, options...))
	}
	return nil, errLacking
}

func writeOptions(given object) []crmclient.WriteOption {
	var options []crmclient.WriteOption
	if key, isText := given["idempotencyKey"].(string); isText {
		options = append(options, crmclient.IdempotencyKey(key))
	}
	switch version := given["ifMatch"].(type) {
	case string:
		options = append(options, crmclient.IfMatch(version))
	case json.Number:
		options = append(options, crmclient.IfMatch(integer(given, "ifMatch")))
	}
	return options
}

// shownRecord shows the members that the server sent.
func shownRecord[T any](record *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	switch typed := any(*record).(type) {
	case crmclient.Contact:
		return typed.Members, nil
	case crmclient.Deal:
		return typed.Members, nil
	case crmclient.Note:
		return typed.Members, nil
	case crmclient.Webhook:
		return typed.Members, nil
	case crmclient.CreatedWebhook:
		return typed.Members, nil
	case crmclient.WebhookTest:
		return typed.Members, nil
	case crmclient.Record:
		return typed.Members, nil
	}
	return nil, fmt.Errorf("%T has no members", record)
}

func verify(given object) (any, error) {
	body, err := base64.StdEncoding.DecodeString(text(given, "body"))
	if err != nil {
		return nil, err
	}
	header := map[string][]string{}
	headers, _ := given["headers"].(object)
	for name, value := range headers {
		header[name] = []string{fmt.Sprint(value)}
	}
	verifier := crmclient.Verifier{}
	secrets, _ := given["secrets"].([]any)
	for _, secret := range secrets {
		verifier.Secrets = append(verifier.Secrets, fmt.Sprint(secret))
	}
	if _, isGiven := given["now"]; isGiven {
		verifier.Now = func() time.Time { return time.Unix(integer(given, "now"), 0) }
	}
	event, err := verifier.Verify(body, header)
	if err != nil {
		return nil, err
	}
	return event.Members, nil
}

func shownError(err error) object {
	fmt.Fprintf(os.Stderr, "%v\n%+v\n%#v\n", err, err, err)
	var unsigned *crmclient.SignatureError
	if errors.As(err, &unsigned) {
		return object{"code": string(crmclient.ErrInvalidSignature), "message": err.Error(), "reason": unsigned.Reason}
	}
	var failure *crmclient.Error
	if !errors.As(err, &failure) {
		return object{"code": "bug", "message": err.Error()}
	}
	if !errors.Is(err, failure.Kind) {
		return object{"code": "bug", "message": "errors.Is does not find the kind"}
	}
	fields := []object{}
	for _, each := range failure.Fields {
		fields = append(fields, object{"pointer": each.Pointer, "code": each.Code, "detail": each.Detail, "parameter": each.Parameter})
	}
	shown := object{
		"code": string(failure.Kind), "message": failure.Error(), "fields": fields, "isRetryable": failure.Retryable,
		"isInDoubt": failure.InDoubt, "retryAfterMs": failure.RetryAfter.Milliseconds(),
	}
	for name, value := range map[string]string{
		"serverCode": failure.ServerCode, "requestId": failure.RequestID, "idempotencyKey": failure.IdempotencyKey,
	} {
		if value != "" {
			shown[name] = value
		}
	}
	if failure.Status != 0 {
		shown["status"] = failure.Status
	}
	return shown
}

func text(given object, name string) string {
	value, _ := given[name].(string)
	return value
}

func integer(given object, name string) int64 {
	number, isNumber := given[name].(json.Number)
	if !isNumber {
		return 0
	}
	value, err := number.Int64()
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func copied(fields any) crmclient.Members {
	given, _ := fields.(object)
	members := crmclient.Members{}
	for name, value := range given {
		members[name] = value
	}
	return members
}

// optional takes the member out of fields; what is neither text nor null stays.
func optional(fields crmclient.Members, name string) crmclient.Optional[string] {
	value, isGiven := fields[name]
	if !isGiven {
		return crmclient.Optional[string]{}
	}
	if value == nil {
		delete(fields, name)
		return crmclient.Null[string]()
	}
	if typed, isText := value.(string); isText {
		delete(fields, name)
		return crmclient.Set(typed)
	}
	return crmclient.Optional[string]{}
}
