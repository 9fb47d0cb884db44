# frozen_string_literal: true

require_relative "resource"

module CrmClient
  # Records of any object of the server, by its noun. +list+ and +pages+ take its filters by their names, such as
  # +company_id+.
  class Records < Resource
    def initialize(transport, noun)
      super(transport)
      @plural = noun.to_s
      @path = Targets.target("", "/v1/{id}", [@plural], {})
    end

    # Each record, newest first where the server sorts so; pages are requested as records are consumed.
    # An Enumerator; with a block, yields them.
    def list(limit: nil, page_size: nil, cursor: nil, **filters, &block)
      list_records(@path, [], query(filters), { limit: limit, page_size: page_size, cursor: cursor }, &block)
    end

    # The same list in whole pages.
    def pages(page_size: nil, cursor: nil, **filters, &block)
      list_pages(@path, [], query(filters), { page_size: page_size, cursor: cursor }, &block)
    end

    # Happens once, also if it is retried. Pass idempotency_key to make it happen once across runs.
    def create(fields, idempotency_key: nil)
      create_record(@path, [], fields, { idempotency_key: idempotency_key })
    end

    # Raises NotFound.
    def get(id)
      get_record("#{@path}/{id}", id)
    end

    # A JSON merge patch: nil removes a member. if_match: only while the record has this version.
    def update(id, patch, if_match: nil, idempotency_key: nil)
      update_record("#{@path}/{id}", id, patch, { if_match: if_match, idempotency_key: idempotency_key })
    end

    # Raises NotFound for an unknown id.
    def delete(id, if_match: nil)
      delete_record("#{@path}/{id}", id, { if_match: if_match })
    end

    private

    attr_reader :plural

    # +amount_gte+ is the name of +amount[gte]+, as in the methods of deals.
    def query(filters)
      filters.transform_keys { |name| name.to_s.sub(/_(gte|lte)\z/, '[\1]') }
    end
  end
end
