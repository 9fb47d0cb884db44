# frozen_string_literal: true

module CrmClient
  # One entry of +errors+ in a problem document (RFC 9457). +pointer+ is the JSON pointer of the member, such as
  # /stage; empty for a query parameter, which +parameter+ names.
  FieldError = Struct.new(:pointer, :code, :detail, :parameter, keyword_init: true)

  # Anything that a server or the network does wrong.
  class Error < StandardError
    CODE = "rejected"

    # The HTTP status; nil if there was no response.
    attr_reader :status
    # The +code+ of the problem document, such as idempotency_key_reused.
    attr_reader :server_code
    attr_reader :request_id, :fields, :idempotency_key
    # Seconds that the server asked to wait.
    attr_reader :retry_after

    def initialize(message, **details)
      super(message)
      @details = details
      @status, @server_code, @request_id = details.values_at(:status, :server_code, :request_id)
      @idempotency_key, @retry_after = details.values_at(:idempotency_key, :retry_after)
      @fields = (details[:fields] || []).freeze
    end

    # A stable word for programs: the same in every client library and on the command line.
    def code
      self.class::CODE
    end

    # The same call may succeed later.
    def retryable?
      @details[:retryable] == true
    end

    # It is unknown whether the server applied the write. Repeat it with +idempotency_key+.
    def in_doubt?
      @details[:in_doubt] == true
    end

    # The same error with another message and more details.
    def with(message, **more)
      self.class.new(message, **@details, **more)
    end
  end

  # An argument is invalid; nothing was sent.
  class InvalidInput < Error
    CODE = "invalid_input"
  end

  # 400.
  class BadRequest < Error
    CODE = "bad_request"
  end

  # 401: the key is missing, unknown, expired or revoked.
  class Unauthorized < Error
    CODE = "unauthorized"
  end

  # 403: the key lacks the scope.
  class Forbidden < Error
    CODE = "forbidden"
  end

  # 404 or 410.
  class NotFound < Error
    CODE = "not_found"
  end

  # 409.
  class Conflict < Error
    CODE = "conflict"
  end

  # 412: the record is not at the version of +if_match+.
  class PreconditionFailed < Error
    CODE = "precondition_failed"
  end

  # 422: +fields+ names the members.
  class InvalidValues < Error
    CODE = "invalid_values"
  end

  # 429, and the wait that the server asks for is longer than +max_wait+.
  class RateLimited < Error
    CODE = "rate_limited"
  end

  # 5xx, after the retries.
  class ServerError < Error
    CODE = "server_error"
  end

  # No connection, or one that ended before the response was complete.
  class Unreachable < Error
    CODE = "unreachable"
  end

  # No complete response within +timeout+.
  class RequestTimeout < Error
    CODE = "timeout"
  end

  # A response with a success status that is not what the operation returns.
  class BadAnswer < Error
    CODE = "bad_answer"
  end

  # A webhook request that is not genuine. +reason+: no_signature, malformed_header, signature_mismatch, stale, future or
  # malformed_request.
  class SignatureError < Error
    CODE = "invalid_signature"

    attr_reader :reason

    def initialize(reason, message)
      super(message)
      @reason = reason
    end
  end

  BY_STATUS = {
    400 => BadRequest, 401 => Unauthorized, 403 => Forbidden, 404 => NotFound, 408 => RequestTimeout, 409 => Conflict,
    410 => NotFound, 412 => PreconditionFailed, 422 => InvalidValues, 429 => RateLimited, 499 => RequestTimeout
  }.freeze

  def self.error_class(status)
    BY_STATUS.fetch(status) { status >= 500 ? ServerError : Error }
  end
end
