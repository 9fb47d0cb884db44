package crmclient

import (
	"net"
	"net/url"
	"regexp"
	"strings"
)

func checkedURL(text string, allowInsecureHTTP bool) (*url.URL, error) {
	if text == "" {
		return nil, invalidInput("no address is given; pass baseURL or set CRM_BASE_URL")
	}
	// The error of url.Parse contains the address, and with it a password.
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Hostname() == "" {
		return nil, invalidInput("the base URL is not an address; expected one such as https://crm.example.com")
	}
	if address.User != nil {
		return nil, invalidInput("the base URL contains a user name or a password; pass the key as apiKey")
	}
	if address.RawQuery != "" || address.Fragment != "" {
		return nil, invalidInput("the base URL has a query or a fragment; expected the address of the server alone")
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) && !allowInsecureHTTP {
		return nil, invalidInput("http://%s is plain http, where anyone on the way can read the key; use https, or "+
			"WithInsecureHTTP() if that network is yours", address.Host)
	}
	return address, nil
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func checkedKey(text string) error {
	if text == "" {
		return invalidInput("no key is given; pass apiKey or set CRM_API_KEY")
	}
	if !isPrintable(text, '!') {
		// The value is not shown: it may be a key with a typing error.
		return invalidInput("the key contains blanks, line ends or characters beyond ASCII")
	}
	return nil
}

func checkedIdempotencyKey(text string) error {
	if len(text) > 255 || !isPrintable(text, ' ') {
		return invalidInput("the idempotency key must be 1 to 255 printable ASCII characters")
	}
	return nil
}

func isPrintable(text string, least rune) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < least || r > '~' }) < 0
}

var quotedTag = regexp.MustCompile(`^(?:(?:W/)?".*"|\*)$`)

func entityTag(text string) (string, error) {
	tag := text
	if !quotedTag.MatchString(text) {
		tag = `"` + text + `"`
	}
	if !isPrintable(tag, '!') {
		return "", invalidInput("IfMatch is not an entity tag; expected the version of the record, such as 3")
	}
	return tag, nil
}

// origin has no default port.
func origin(address *url.URL) string {
	host := strings.ToLower(address.Host)
	switch address.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return address.Scheme + "://" + host
}

// target is the path with its ids, and the query.
func target(basePath, path string, ids []string, query url.Values) (string, error) {
	for _, id := range ids {
		if id == "" || id == "." || id == ".." {
			return "", invalidInput("%q is not an id; expected text such as \"con_0s9ntcj9g09\"", id)
		}
		path = strings.Replace(path, "{id}", url.PathEscape(id), 1)
	}
	if len(query) == 0 {
		return basePath + path, nil
	}
	return basePath + path + "?" + encoded(query), nil
}

func encoded(query url.Values) string {
	return strings.ReplaceAll(query.Encode(), "+", "%20")
}
