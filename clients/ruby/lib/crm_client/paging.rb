# frozen_string_literal: true

require "set"
require "uri"
require_relative "call"

module CrmClient
  # +next_cursor+ is for +cursor+ of a later list; nil on the last page, and where no cursor leads to the next one.
  Page = Struct.new(:items, :next_cursor)

  # Lists: where the records of a page are, and what leads to the next one.
  class Paging
    ITEM_NAMES = %w[data results items records].freeze
    # Members that hold a cursor, and the parameter in which it is sent back.
    CURSORS = {
      "next_cursor" => "cursor", "nextCursor" => "cursor", "next_page_token" => "page_token", "nextPageToken" => "pageToken"
    }.freeze
    HOLDERS = %w[meta pagination paging additional_data].freeze
    ADDRESSES = %w[next next_url next_page_url @odata.nextLink].freeze
    NEXT_RELATION = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i

    Following = Struct.new(:target, :cursor)
    private_constant :Following

    # The id of a record is text, even if the server uses numbers.
    def self.with_id(record)
      record["id"].is_a?(Integer) ? record.merge("id" => record["id"].to_s) : record
    end

    def initialize(transport, plural)
      @transport = transport
      @plural = plural
    end

    # Yields each page when it is needed. A list that leads to itself is an error, not a loop.
    def each(at)
      seen = [at].to_set
      while at
        answer = @transport.request(Call.new(http_method: "GET", target: at))
        items = items_of(answer)
        following = following_of(answer, items, at)
        if following && !seen.add?(following.target)
          raise @transport.bad_answer(answer, "the next page is one that was already read")
        end

        yield Page.new(items, following&.cursor)
        at = following&.target
      end
    end

    private

    def items_of(answer)
      found = list_in(answer.value)
      unless found.is_a?(Array) && found.all?(Hash)
        raise @transport.bad_answer(answer, "the answer contains no list of records")
      end

      found.map { |record| self.class.with_id(record) }
    end

    def list_in(value)
      return value unless value.is_a?(Hash)

      [*ITEM_NAMES, @plural].each do |name|
        inner = value[name]
        inner = inner[@plural] if inner.is_a?(Hash) && inner[@plural].is_a?(Array)
        return inner if inner.is_a?(Array)
      end
      edges = value["edges"]
      edges.map { |edge| edge["node"] if edge.is_a?(Hash) } if edges.is_a?(Array)
    end

    def following_of(answer, items, at)
      value = answer.value.is_a?(Hash) ? answer.value : {}
      holders = [value, *value.values_at(*HOLDERS).grep(Hash)]
      by_cursor(holders, at) || relayed(holders, at) || by_address(answer, value, at) || by_last_id(answer, holders, items, at)
    end

    def by_cursor(holders, at)
      holders.each do |holder|
        CURSORS.each do |name, parameter|
          cursor = cursor_text(holder[name])
          return with(at, parameter, cursor) if cursor
        end
      end
      nil
    end

    # +paging.next.after+ and +pageInfo.endCursor+, both sent as +after+.
    def relayed(holders, at)
      holders.each do |holder|
        following, info = holder.values_at("next", "pageInfo")
        after = cursor_text(following["after"]) if following.is_a?(Hash)
        after ||= cursor_text(info["endCursor"]) if info.is_a?(Hash) && info["hasNextPage"] == true
        return with(at, "after", after) if after
      end
      nil
    end

    def by_address(answer, value, at)
      address = address_in(value) || address_in_link(answer.headers.fetch("link", ""))
      address && Following.new(same_origin(answer, address, at), nil)
    end

    def by_last_id(answer, holders, items, at)
      return nil unless holders.any? { |holder| holder["has_more"] == true || holder["hasMore"] == true }

      last = items.last && items.last["id"]
      unless last.is_a?(String)
        raise @transport.bad_answer(answer, "the answer says that there are more records, and not where")
      end

      with(at, "starting_after", last)
    end

    def cursor_text(value)
      return value.to_s if value.is_a?(Integer)

      value if value.is_a?(String) && !value.empty?
    end

    def address_in(value)
      [value, *value.values_at("links", "_links", *HOLDERS).grep(Hash)].each do |holder|
        holder.values_at(*ADDRESSES).each do |found|
          found = found["href"] || found["link"] if found.is_a?(Hash)
          return found if found.is_a?(String) && !found.empty?
        end
      end
      nil
    end

    def address_in_link(header)
      header.scan(/<([^>]*)>([^<]*)/).find { |_, rest| NEXT_RELATION.match?(rest) }&.first
    end

    # The key goes to no other origin, so a next link may not lead there.
    def same_origin(answer, address, at)
      base = URI.parse(@transport.origin)
      url = URI.join(@transport.origin + at, address)
      unless [url.scheme, url.host&.downcase, url.port, url.userinfo] == [base.scheme, base.host, base.port, nil]
        raise @transport.bad_answer(answer, "the next page is at another origin, where the key must not be sent")
      end

      (url.path.empty? ? "/" : url.path) + (url.query ? "?#{url.query}" : "")
    rescue URI::Error
      raise @transport.bad_answer(answer, "the address of the next page is malformed"), cause: nil
    end

    # The same request from there on.
    def with(at, name, cursor)
      path, query = at.split("?", 2)
      pairs = query.to_s.split("&").reject { |pair| [name, "cursor"].include?(pair.split("=", 2).first) }
      Following.new("#{path}?#{[*pairs, "#{name}=#{Targets.encode(cursor)}"].join("&")}", cursor)
    end
  end
  private_constant :Paging
end
