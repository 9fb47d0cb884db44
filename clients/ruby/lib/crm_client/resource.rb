# frozen_string_literal: true

require_relative "checks"
require_relative "json_text"
require_relative "paging"
require_relative "transport"

module CrmClient
  # The requests behind the generated methods.
  class Resource
    def initialize(transport)
      @transport = transport
    end

    def inspect = "#<#{self.class.name} of #{@transport.origin}>"

    private

    # An Enumerator, or with a block the records one by one.
    def list_records(path, ids, query, options, &block)
      limit, page_size, cursor = options.values_at(:limit, :page_size, :cursor)
      Checks.positive_integer("limit", limit)
      size = page_size.nil? && limit && limit < 100 ? limit : page_size
      found = list_pages(path, ids, query, { page_size: size, cursor: cursor })
      records = Enumerator.new do |yielder|
        left = limit
        found.each do |page|
          page.items.first(left || page.items.length).each { |record| yielder << record }
          left -= page.items.length if left
          break if left && left <= 0
        end
      end
      block ? records.each(&block) && nil : records
    end

    def list_pages(path, ids, query, options, &block)
      page_size, cursor = options.values_at(:page_size, :cursor)
      Checks.positive_integer("page_size", page_size)
      at = target(path, ids, { **query, "limit" => page_size || 100, "cursor" => cursor })
      pages = Enumerator.new { |yielder| Paging.new(@transport, plural).each(at) { |page| yielder << page } }
      block ? pages.each(&block) && nil : pages
    end

    def create_record(path, ids, fields, options)
      record_in(send_members("POST", target(path, ids), fields, options))
    end

    def get_record(path, id)
      record_in(@transport.request(Call.new(http_method: "GET", target: target(path, [id]))))
    end

    def update_record(path, id, patch, options)
      answer = send_members("PATCH", target(path, [id]), patch, options)
      # Other servers answer a change with 204.
      answer.empty? ? { "id" => id } : record_in(answer)
    end

    def delete_record(path, id, options)
      @transport.request(Call.new(http_method: "DELETE", target: target(path, [id]), **options))
      nil
    end

    def test_record(path, id, options)
      @transport.request(Call.new(http_method: "POST", target: target(path, [id]), **options)).value
    end

    def send_members(http_method, at, members, options)
      unless members.is_a?(Hash)
        raise InvalidInput, "a record is a Hash of its members; got #{members.class}"
      end

      @transport.request(Call.new(http_method: http_method, target: at, body: JsonText.write(members), **options))
    end

    def target(path, ids, query = {})
      Targets.target(@transport.base_path, path, ids, query)
    end

    def record_in(answer)
      value = answer.value
      value = value["data"] if value.is_a?(Hash) && !value.key?("id") && value["data"].is_a?(Hash)
      raise @transport.bad_answer(answer, "the answer contains no record") unless value.is_a?(Hash)

      Paging.with_id(value)
    end
  end
  private_constant :Resource
end
