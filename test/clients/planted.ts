/** A fault: `faulty` in the place of `text`, which `file` contains once. */
export interface Planted {
  readonly what: string
  readonly file: string
  readonly text: string
  readonly faulty: string
  readonly area: string
  /** A scenario that must find it. */
  readonly foundBy: string
}

/** By language. */
export const PLANTED: Readonly<Record<string, readonly Planted[]>> = {
  python: [
    {
      what: 'a change by the noun does not depend on the version',
      file: 'clients/python/crm_client/records.py',
      text: 'id, patch, if_match, idempotency_key)',
      faulty: 'id, patch, None, idempotency_key)',
      area: 'records by their noun',
      foundBy: 'a machine that was changed meanwhile is neither changed nor deleted',
    },
    {
      what: 'a retry has another idempotency key',
      file: 'clients/python/crm_client/transport.py',
      text: 'headers["Idempotency-Key"] = call.idempotency_key',
      faulty: 'headers["Idempotency-Key"] = str(uuid.uuid4())',
      area: 'lost answers',
      foundBy: 'a create whose answer is lost happens once',
    },
    {
      what: 'the second of three pages is skipped',
      file: 'clients/python/crm_client/paging.py',
      text: 'yield Page(items,',
      faulty: 'if len(seen) != 2 or following is None: yield Page(items,',
      area: 'paging',
      foundBy: 'every record of several pages is listed once, by the cursor',
    },
    {
      what: 'a signature is compared by its beginning',
      file: 'clients/python/crm_client/signatures.py',
      text: 'hmac.compare_digest(one, each)',
      faulty: 'each[:16] == one[:16]',
      area: 'webhooks',
      foundBy: 'a signature that differs only at its end is refused',
    },
    {
      what: 'a next page at another origin is requested there',
      file: 'clients/python/crm_client/paging.py',
      text: 'if f"{url.scheme}://{url.netloc}".lower() != origin.lower():',
      faulty: 'if not url.netloc:',
      area: 'paging',
      foundBy: 'a next address at another origin is an error, and gets no request',
    },
    {
      what: 'Retry-After is ignored',
      file: 'clients/python/crm_client/transport.py',
      text: 'wait = asked + limits.jitter() if asked else',
      faulty: 'wait = limits.jitter() if asked else',
      area: 'rate limits',
      foundBy: 'Retry-After in seconds is honoured',
    },
    {
      what: 'the key that a server repeats is in the error',
      file: 'clients/python/crm_client/transport.py',
      text: 'return text.replace(self._key.text, "[key]")',
      faulty: 'return text',
      area: 'the key',
      foundBy: 'a server that repeats the key does not put it into an error',
    },
  ],
  ruby: [
    {
      what: 'a change by the noun does not depend on the version',
      file: 'clients/ruby/lib/crm_client/records.rb',
      text: 'update_record("#{@path}/{id}", id, patch, { if_match: if_match, idempotency_key',
      faulty: 'update_record("#{@path}/{id}", id, patch, { idempotency_key',
      area: 'records by their noun',
      foundBy: 'a machine that was changed meanwhile is neither changed nor deleted',
    },
    {
      what: 'a retry has another idempotency key',
      file: 'clients/ruby/lib/crm_client/transport.rb',
      text: '"Idempotency-Key" => call.idempotency_key,',
      faulty: '"Idempotency-Key" => call.idempotency_key && SecureRandom.uuid,',
      area: 'lost answers',
      foundBy: 'a create whose answer is lost happens once',
    },
    {
      what: 'the second of three pages is skipped',
      file: 'clients/ruby/lib/crm_client/paging.rb',
      text: 'yield Page.new(items,',
      faulty: 'yield Page.new(seen.size == 3 && following ? [] : items,',
      area: 'paging',
      foundBy: 'every record of several pages is listed once, by the cursor',
    },
    {
      what: 'a signature is compared by its beginning',
      file: 'clients/ruby/lib/crm_client/signatures.rb',
      text: 'OpenSSL.secure_compare(one, each)',
      faulty: 'one[0, 16] == each[0, 16]',
      area: 'webhooks',
      foundBy: 'a signature that differs only at its end is refused',
    },
    {
      what: 'a next page at another origin is requested there',
      file: 'clients/ruby/lib/crm_client/paging.rb',
      text: 'unless [url.scheme, url.host&.downcase, url.port, url.userinfo] == [base.scheme, base.host, base.port, nil]',
      faulty: 'unless url.host == base.host',
      area: 'paging',
      foundBy: 'a next address at another origin is an error, and gets no request',
    },
    {
      what: 'Retry-After is ignored',
      file: 'clients/ruby/lib/crm_client/tries.rb',
      text: '@asked + Limits.jitter',
      faulty: 'Limits.jitter',
      area: 'rate limits',
      foundBy: 'Retry-After in seconds is honoured',
    },
    {
      what: 'the key that a server repeats is in the error',
      file: 'clients/ruby/lib/crm_client/transport.rb',
      text: 'text.gsub(@key.text, "[key]")',
      faulty: 'text',
      area: 'the key',
      foundBy: 'a server that repeats the key does not put it into an error',
    },
  ],
  go: [
    {
      what: 'a change by the noun does not depend on the version',
      file: 'clients/go/records.go',
      text: 's := r.sending(http.MethodPatch, options, id)',
      faulty: 's := r.sending(http.MethodPatch, nil, id)',
      area: 'records by their noun',
      foundBy: 'a machine that was changed meanwhile is neither changed nor deleted',
    },
    {
      what: 'a retry has another idempotency key',
      file: 'clients/go/request.go',
      text: 'header.Set("Idempotency-Key", c.idempotencyKey)',
      faulty: 'header.Set("Idempotency-Key", fmt.Sprint(time.Now().UnixNano()))',
      area: 'lost answers',
      foundBy: 'a create whose answer is lost happens once',
    },
    {
      what: 'the second of three pages is skipped',
      file: 'clients/go/paging.go',
      text: 'return rawPage{items: items, cursor: then.cursor}, then.target, nil',
      faulty:
        'if len(seen) == 2 && then.target != "" { items = nil }; return rawPage{items: items, cursor: then.cursor}, then.target, nil',
      area: 'paging',
      foundBy: 'every record of several pages is listed once, by the cursor',
    },
    {
      what: 'a signature is compared by its beginning',
      file: 'clients/go/signatures.go',
      text: 'hmac.Equal([]byte(signature), []byte(expected))',
      faulty: 'len(signature) > 16 && signature[:16] == expected[:16]',
      area: 'webhooks',
      foundBy: 'a signature that differs only at its end is refused',
    },
    {
      what: 'a next page at another origin is requested there',
      file: 'clients/go/paging.go',
      text: 'if origin(next) != origin(t.base) || next.User != nil {',
      faulty: 'if t.base = next; next.User != nil {',
      area: 'paging',
      foundBy: 'a next address at another origin is an error, and gets no request',
    },
    {
      what: 'Retry-After is ignored',
      file: 'clients/go/tries.go',
      text: 'notAbove(t.asked, 1<<62) + jitter()',
      faulty: 'jitter()',
      area: 'rate limits',
      foundBy: 'Retry-After in seconds is honoured',
    },
    {
      what: 'the key that a server repeats is in the error',
      file: 'clients/go/problems.go',
      text: 'strings.ReplaceAll(text, t.key(), "[key]")',
      faulty: 'text',
      area: 'the key',
      foundBy: 'a server that repeats the key does not put it into an error',
    },
  ],
}
