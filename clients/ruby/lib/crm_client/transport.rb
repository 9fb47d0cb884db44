# frozen_string_literal: true

require "securerandom"
require_relative "call"
require_relative "checks"
require_relative "connections"
require_relative "json_text"
require_relative "limits"
require_relative "problems"
require_relative "tries"
require_relative "version"

module CrmClient
  # Keeps the key out of the representation of everything that holds it.
  class Key
    attr_reader :text

    def initialize(text)
      @text = text
    end

    def inspect = "#<key>"
    alias to_s inspect

    def marshal_dump
      raise TypeError, "a key cannot be dumped"
    end
  end
  private_constant :Key

  # A call: its tries, the waits between them, and the error of the last one.
  class Transport
    def initialize(base_url:, api_key:, timeout:, max_wait:, allow_insecure_http:, on_wait:, logger:)
      @base = Checks.url(base_url || ENV.fetch("CRM_BASE_URL", ""), allow_insecure_http)
      @key = Key.new(Checks.key(api_key || ENV.fetch("CRM_API_KEY", "")))
      @timeout = Checks.seconds("timeout", timeout, is_zero_permitted: false)
      @max_wait = Checks.seconds("max_wait", max_wait, is_zero_permitted: true)
      @on_wait = on_wait
      @logger = logger
      @connections = Connections.new(@base)
      @blocked_until = 0.0
    end

    def origin
      "#{@base.scheme}://#{@base.host.downcase}#{":#{@base.port}" unless @base.port == @base.default_port}"
    end

    def base_path = @base.path.chomp("/")

    def close = @connections.close

    def inspect = "#<#{self.class.name} of #{origin}>"

    # Retries until there is an answer, or a retry cannot help. Raises Error.
    def request(call)
      if %w[POST PATCH].include?(call.http_method)
        call.idempotency_key = Checks.idempotency_key(call.idempotency_key || SecureRandom.uuid)
      end
      tries = Tries.new(call, @max_wait)
      loop do
        tries.waited += wait_for_limit(@max_wait - tries.waited)
        answer = try_once(call, tries)
        return answer if answer

        wait = tries.next_wait
        pause(wait, tries.error.message)
        tries.waited += wait
      end
    end

    def bad_answer(answer, what)
      BadAnswer.new("cannot #{answer.call}: #{what} (#{answer.status})", **details_of(answer.call, answer))
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # The answer, or nil after a failure, which +tries+ keeps.
    def try_once(call, tries)
      started = now
      response = exchange(call)
      return read(call, response) if response.status.between?(200, 299)
      # An earlier try deleted it.
      return Answer.new(status: 204, headers: {}, call: call) if tries.deleted?(response.status)

      tries.refused(response, Problems.status_error(call.to_s, response, method(:redact)))
      nil
    rescue NoResponse => failure
      kind = failure.timeout? ? RequestTimeout : Unreachable
      tries.unanswered(failure, kind.new("cannot #{call}: #{origin} #{failure.message}"), now - started)
      nil
    end

    def exchange(call)
      started = now
      response = @connections.send_request(call.http_method, call.target, headers_of(call), call.body, @timeout)
      log { format("%s: %d in %d ms", call, response.status, (now - started) * 1000) }
      left, reset = Limits.rate_signal(response.headers)
      @blocked_until = now + reset if left && left < 1 && reset.positive?
      response
    rescue NoResponse => failure
      log { "#{call}: #{failure.message}" }
      raise
    end

    def headers_of(call)
      {
        "Accept" => "application/json",
        "User-Agent" => "crm-client-ruby/#{VERSION}",
        "Authorization" => "Bearer #{@key.text}",
        "Content-Type" => call.body && "application/json",
        "Idempotency-Key" => call.idempotency_key,
        "If-Match" => call.if_match && Checks.entity_tag(call.if_match)
      }.compact
    end

    def read(call, response)
      given = response.headers["x-request-id"]
      request_id = given && Problems.safe_text(redact(given))
      value = response.body.strip.empty? ? nil : JsonText.parse(response.body)
      Answer.new(status: response.status, headers: response.headers, value: value, call: call, request_id: request_id)
    rescue JSON::ParserError
      # Redacted before it is cut: a part of the key is not recognised.
      shown = Problems.safe_text(redact(response.body.dup.force_encoding(Encoding::UTF_8).scrub("\ufffd")))[0, 60]
      message = "cannot #{call}: the answer is not JSON: #{shown.inspect} (#{response.status})"
      details = details_of(call, Answer.new(status: response.status, request_id: request_id))
      raise BadAnswer.new(message, **details), cause: nil
    end

    def details_of(call, answer)
      {
        status: answer.status,
        request_id: answer.request_id,
        in_doubt: call.write?,
        idempotency_key: call.idempotency_key
      }
    end

    # Waits for the reset of a used-up rate limit; a longer wait than +most+ is left to the 429 of the server.
    def wait_for_limit(most)
      left = @blocked_until - now
      return 0.0 if left <= 0 || left > most

      pause(left, "the rate limit of #{origin} is used up")
      left
    end

    def pause(seconds, reason)
      log { format("wait %.2f s: %s", seconds, reason) }
      @on_wait&.call(seconds, reason) if seconds >= 1
      sleep(seconds)
    end

    def log(&message)
      @logger&.debug("crm_client", &message)
    end

    def redact(text)
      text.gsub(@key.text, "[key]")
    end
  end
  private_constant :Transport
end
