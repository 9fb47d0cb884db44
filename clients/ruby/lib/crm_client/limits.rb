# frozen_string_literal: true

require "time"

module CrmClient
  # When to send a request, and how long to wait before the next try. Headers are a Hash by name in lower case.
  module Limits
    # Statuses of an outage. A try may have taken effect, except with 503 and Retry-After.
    TEMPORARY = [408, 499, 500, 502, 503, 504].freeze

    FIRST_WAIT = 0.25
    LONGEST_WAIT = 8.0
    NUMBER = /\A\d{1,15}(?:\.\d+)?\z/

    module_function

    # Exponential with jitter: clients that failed together do not retry together.
    def backoff(tries)
      [FIRST_WAIT * (2**(tries - 1)), LONGEST_WAIT].min * (0.5 + (rand / 2))
    end

    def jitter
      rand * FIRST_WAIT
    end

    # Seconds to wait by Retry-After; for an exceeded limit also by the rate limit headers.
    def retry_after(status, headers)
      stated = retry_after_header(headers)
      return stated if stated || !limit?(status, headers)

      rate_signal(headers)&.last
    end

    # 429, and a 403 that asks for a wait or says that no requests are left.
    def limit?(status, headers)
      return status == 429 unless status == 403

      !retry_after_header(headers).nil? || rate_signal(headers)&.first == 0
    end

    def retry_after_header(headers)
      text = headers.fetch("retry-after", "").strip
      return text.to_f if NUMBER.match?(text)

      at = date(text)
      at && [0.0, at - server_time(headers)].max
    end

    # Requests left, and seconds until the reset; nil if the response states neither.
    def rate_signal(headers)
      combined(headers) || separate(headers) || hubspot(headers)
    end

    # <tt>"default";r=0;t=60</tt>, the tightest of several, or <tt>limit=2, remaining=0, reset=60</tt>.
    def combined(headers)
      text = headers.fetch("ratelimit", "").gsub(/"[^"]*"/, '""')
      is_one = text.match?(/(?:^|[,\s])remaining\s*=/)
      items = is_one ? [text.tr(",", ";")] : text.split(",")
      names = is_one ? %w[remaining reset] : %w[r t]
      found = items.filter_map do |item|
        values = item.split(";").filter_map { |part| part.strip.split("=", 2) if part.include?("=") }.to_h
        left, reset = values.values_at(*names)
        [left.to_f, until_reset(reset.to_f, headers)] if NUMBER.match?(left.to_s) && NUMBER.match?(reset.to_s)
      end
      found.min_by { |left, reset| [left, -reset] }
    end

    def separate(headers)
      %w[ratelimit x-ratelimit x-rate-limit].each do |prefix|
        left = headers.fetch("#{prefix}-remaining", "").strip
        reset = headers.fetch("#{prefix}-reset", "").strip
        next unless NUMBER.match?(left)
        return [left.to_f, until_reset(reset.to_f, headers)] if NUMBER.match?(reset)

        at = date(reset)
        return [left.to_f, [0.0, at - server_time(headers)].max] if at
      end
      nil
    end

    def hubspot(headers)
      left = headers.fetch("x-hubspot-ratelimit-remaining", "").strip
      window = headers.fetch("x-hubspot-ratelimit-interval-milliseconds", "").strip
      [left.to_f, window.to_f / 1000] if NUMBER.match?(left) && NUMBER.match?(window)
    end

    # Large numbers are times: milliseconds or seconds since 1970.
    def until_reset(number, headers)
      number /= 1000 if number > 1e12
      number > 1e9 ? [0.0, number - server_time(headers)].max : number
    end

    # By the clock of the server, where its response has a Date.
    def server_time(headers)
      date(headers.fetch("date", "")) || Time.now.to_f
    end

    def date(text)
      Time.httpdate(text).to_f
    rescue ArgumentError
      nil
    end
  end
end
