# frozen_string_literal: true

require "uri"
require_relative "errors"

module CrmClient
  # Arguments that are checked before anything is sent.
  module Checks
    module_function

    def entity_tag(text)
      tag = %r{\A(?:(?:W/)?".*"|\*)\z}.match?(text.to_s) ? text.to_s : %("#{text}")
      return tag if /\A[\x21-\x7e]+\z/.match?(tag)

      raise InvalidInput, "if_match is not an entity tag; expected the version of the record, such as 3"
    end

    def idempotency_key(text)
      return text if text.is_a?(String) && /\A[\x20-\x7e]{1,255}\z/.match?(text)

      raise InvalidInput, "the idempotency key must be 1 to 255 printable ASCII characters"
    end

    def url(text, allow_insecure_http)
      raise InvalidInput, "no address is given; pass base_url or set CRM_BASE_URL" if text.to_s.empty?

      url = parsed_url(text)
      unless url.is_a?(URI::HTTP) && !url.hostname.to_s.empty? && url.port.to_i.positive?
        raise InvalidInput, "base_url is not an address; expected one such as https://crm.example.com"
      end
      raise InvalidInput, "base_url contains a user name or a password; pass the key as api_key" if url.userinfo
      if url.query || url.fragment
        raise InvalidInput, "base_url has a query or a fragment; expected the address of the server alone"
      end
      return url if url.scheme == "https" || loopback?(url.hostname) || allow_insecure_http

      raise InvalidInput, "http://#{url.host} is plain http, where anyone on the way can read the key; " \
                          "use https, or allow_insecure_http: true if that network is yours"
    end

    # The message of URI::InvalidURIError contains the address, and with it a password.
    def parsed_url(text)
      URI.parse(text)
    rescue URI::InvalidURIError
      nil
    end

    def loopback?(host)
      %w[localhost ::1].include?(host) || /\A127(?:\.\d{1,3}){3}\z/.match?(host)
    end

    def key(text)
      raise InvalidInput, "no key is given; pass api_key or set CRM_API_KEY" if text.to_s.empty?
      return text.dup.freeze if text.is_a?(String) && /\A[\x21-\x7e]+\z/.match?(text)

      # The value is not shown: it may be a key with a typing error.
      raise InvalidInput, "the key contains blanks, line ends or characters beyond ASCII"
    end

    def seconds(name, value, is_zero_permitted:)
      is_number = (value.is_a?(Integer) || value.is_a?(Float) || value.is_a?(Rational)) && value.finite?
      return value.to_f if is_number && (value.positive? || (is_zero_permitted && value.zero?))

      raise InvalidInput, "#{name} is #{value.inspect}; expected a number of seconds"
    end

    def positive_integer(name, value)
      return if value.nil? || (value.is_a?(Integer) && value.positive?)

      raise InvalidInput, "#{name} is #{value.inspect}; expected a whole number above 0"
    end
  end
end
