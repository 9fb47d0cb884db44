# frozen_string_literal: true

require "openssl"
require_relative "errors"
require_relative "json_text"

# Verification of webhook requests (Standard Webhooks 1.0).
module CrmClient
  MOST_SIGNATURES = 16

  # The event of a request that was signed with one of the secrets, at most +tolerance+ seconds ago or ahead.
  #
  # +body+ is the body as received: parsing and writing it again may change what was signed. +headers+ is a Hash of names
  # in any case; the names of a Rack environment (HTTP_WEBHOOK_ID) are understood. Raises SignatureError.
  def self.verify(body, headers, secrets, tolerance: 300, now: Time.now)
    raise InvalidInput, "body is not a String; pass the body as it was received" unless body.is_a?(String)

    keys = Array(secrets).map { |secret| Signatures.key(secret) }
    raise InvalidInput, "no secret is given; expected one that begins with whsec_" if keys.empty?

    event_id, sent_at, signatures = Signatures.claim(headers)
    signed = "#{event_id}.#{sent_at}.".b + body.b
    expected = keys.map { |key| [OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0") }
    # Every pair is compared, in constant time.
    matches = expected.product(signatures).map { |each, one| OpenSSL.secure_compare(one, each) }
    unless matches.any?
      raise SignatureError.new("signature_mismatch", "signed with another secret, or the body was changed on its way")
    end

    Signatures.check_age(now.to_i - sent_at.to_i, tolerance)
    Signatures.event(body)
  end

  # The parts of a verification.
  module Signatures
    module_function

    # Empty if it is missing. One that was sent twice could be read differently by others.
    def only(headers, wanted)
      values = headers.flat_map do |name, value|
        name.to_s.downcase.delete_prefix("http_").tr("_", "-") == wanted ? Array(value) : []
      end
      raise SignatureError.new("malformed_header", "#{wanted} was sent #{values.length} times") if values.length > 1

      values.first.to_s
    end

    def claim(headers)
      claimed = %w[id timestamp signature].map { |name| only(headers, "webhook-#{name}") }
      event_id, sent_at, signature = claimed
      raise SignatureError.new("no_signature", "the request has no webhook-signature") if claimed.all?(&:empty?)

      # The signed text is id.timestamp.body: with a dot, the end of the id could be read as the timestamp.
      if event_id.empty? || event_id.include?(".") || signature.empty? || !/\A[0-9]{1,12}\z/.match?(sent_at)
        raise SignatureError.new("malformed_header", "webhook-id, webhook-timestamp or webhook-signature is missing or malformed")
      end
      signatures = signature.split(" ").filter_map { |each| each.delete_prefix("v1,") if each.start_with?("v1,") }
      if signatures.length > MOST_SIGNATURES
        raise SignatureError.new("malformed_header", "#{signatures.length} signatures; expected at most #{MOST_SIGNATURES}")
      end

      [event_id, sent_at, signatures]
    end

    def check_age(age, tolerance)
      if age > tolerance
        raise SignatureError.new("stale", "signed #{age} s ago; expected at most #{tolerance.round} s")
      elsif -age > tolerance
        raise SignatureError.new("future", "signed #{-age} s ahead of the clock of this machine")
      end
    end

    def event(body)
      value = JsonText.parse(body)
      return value if value.is_a?(Hash) && value.values_at("type", "timestamp").all?(String) && value["data"].is_a?(Hash)

      raise SignatureError.new("malformed_request", "the signature is genuine, and the body is no event")
    rescue JSON::ParserError
      raise SignatureError.new("malformed_request", "the signature is genuine, and the body is not JSON"), cause: nil
    end

    def key(secret)
      text = secret.delete_prefix("whsec_").sub(/=+\z/, "")
      key = text.ljust((text.length + 3) / 4 * 4, "=").unpack1("m0")
      return key unless key.empty?

      raise InvalidInput, "the secret is empty after whsec_"
    rescue ArgumentError
      raise InvalidInput.new("the secret is not base64 after whsec_"), cause: nil
    end
  end
  private_constant :Signatures
end
