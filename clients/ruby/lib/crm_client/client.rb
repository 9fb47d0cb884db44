# frozen_string_literal: true

require_relative "records"
require_relative "resources"
require_relative "transport"

module CrmClient
  # A client of one CRM. The key goes to the origin of +base_url+ and to no other.
  #
  # +base_url+ and +api_key+ default to the variables CRM_BASE_URL and CRM_API_KEY. One request may take +timeout+
  # seconds; one call waits at most +max_wait+ seconds for rate limits and outages. +on_wait+ is called with the seconds
  # and the reason of waits of a second or more. +logger+ is a Logger. Threads may share a client.
  class Client
    include Resources

    # With a block, yields the client and closes it at the end; returns what the block returns.
    def self.open(base_url = nil, api_key = nil, **options)
      client = new(base_url, api_key, **options)
      yield client
    ensure
      client&.close
    end

    def initialize(base_url = nil, api_key = nil, timeout: 30, max_wait: 60, allow_insecure_http: false, on_wait: nil, logger: nil)
      @transport = Transport.new(
        base_url: base_url,
        api_key: api_key,
        timeout: timeout,
        max_wait: max_wait,
        allow_insecure_http: allow_insecure_http,
        on_wait: on_wait,
        logger: logger
      )
      make_resources(@transport)
    end

    def inspect = "#<#{self.class.name} of #{@transport.origin}>"
    alias to_s inspect

    # The records of any object of the server, those of its users included.
    def records(noun) = Records.new(@transport, noun)

    # Ends idle connections.
    def close = @transport.close
  end
end
