# frozen_string_literal: true

require_relative "limits"

module CrmClient
  # The failed tries of one call, and whether there is another one.
  class Tries
    # For an outage that states no Retry-After.
    MOST_UNPROMPTED_RETRIES = 3

    attr_accessor :waited
    # The error of the last try.
    attr_reader :error

    def initialize(call, max_wait)
      @call = call
      @max_wait = max_wait
      @waited = 0.0
      @tries = @unprompted = 0
      @in_doubt = false
    end

    # A 404 for a delete that an earlier try may have made.
    def deleted?(status)
      @in_doubt && @call.http_method == "DELETE" && [404, 410].include?(status)
    end

    def refused(response, error)
      status = response.status
      asked = Limits.retry_after(status, response.headers)
      in_progress = status == 409 && error.server_code == "idempotency_in_progress"
      @patient = in_progress || Limits.limit?(status, response.headers)
      @lasting = !@patient && !Limits::TEMPORARY.include?(status)
      @asked = @lasting ? nil : asked
      failed(error.with(error.message, retry_after: @asked), in_progress || may_have_begun?(status, asked))
    end

    def unanswered(failure, error, seconds)
      @patient = false
      @asked = nil
      @lasting = failure.final?
      # A timeout counts as a wait: a call lasts little longer than max_wait.
      @waited += seconds if failure.timeout?
      failed(error, failure.sent?)
    end

    # Seconds until the next try. Raises the error if there is none.
    def next_wait
      # Not all clients of a server return at the same moment.
      wait = prompted? ? @asked + Limits.jitter : Limits.backoff(@tries)
      return wait unless @lasting || @unprompted > MOST_UNPROMPTED_RETRIES || @waited + wait > @max_wait

      raise final, cause: nil
    end

    private

    def prompted? = !@asked.nil? && @asked.positive?

    def failed(error, begun)
      @error = error
      @tries += 1
      @in_doubt ||= @call.write? && begun
      @unprompted += 1 unless prompted? || @patient
    end

    # A 503 with Retry-After means that the server did not start the request.
    def may_have_begun?(status, asked)
      [408, 499].include?(status) || (status >= 500 && !(status == 503 && asked))
    end

    def final
      more = @tries > 1 ? ", after #{@tries} tries" : ""
      doubt = @in_doubt ? "; it is unknown whether the server applied it" : ""
      key = @in_doubt ? @call.idempotency_key : nil
      @error.with("#{@error.message}#{more}#{doubt}", retryable: !@lasting, in_doubt: @in_doubt, idempotency_key: key)
    end
  end
  private_constant :Tries
end
