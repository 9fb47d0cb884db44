# frozen_string_literal: true

require "uri"
require_relative "errors"

module CrmClient
  # A request: +target+ is the path with the query; +body+ is JSON text, or nil.
  Call = Struct.new(:http_method, :target, :body, :idempotency_key, :if_match, keyword_init: true) do
    def write? = http_method != "GET"

    def to_s = "#{http_method} #{target.split("?", 2).first}"
  end

  # A response with a success status; +value+ is nil if its body is empty.
  Answer = Struct.new(:status, :headers, :value, :call, :request_id, keyword_init: true) do
    def empty? = value.nil?
  end

  # The addresses of requests.
  module Targets
    module_function

    # The path with its ids, and the query without what is nil. Raises InvalidInput for an id that is no path segment.
    def target(base_path, path, ids, query = {})
      full = ids.reduce(path) { |left, id| left.sub("{id}") { segment(id) } }
      pairs = query.compact.map { |name, value| "#{encode(name)}=#{encode(query_text(value))}" }
      base_path + full + (pairs.empty? ? "" : "?#{pairs.join("&")}")
    end

    def segment(id)
      return encode(id) if id.is_a?(String) && !["", ".", ".."].include?(id)

      raise InvalidInput, "#{id.inspect} is not an id; expected text such as 'con_0s9ntcj9g09'"
    end

    def encode(text)
      URI.encode_www_form_component(text.encode(Encoding::UTF_8)).gsub("+", "%20").gsub("*", "%2A")
    end

    # BigDecimal without its exponent.
    def query_text(value)
      return value.map { |each| query_text(each) }.join(",") if value.is_a?(Array)

      value.is_a?(BigDecimal) ? value.to_s("F") : value.to_s
    end
  end
end
