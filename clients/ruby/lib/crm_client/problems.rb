# frozen_string_literal: true

require_relative "errors"
require_relative "json_text"
require_relative "limits"

module CrmClient
  # Errors of a server as exceptions.
  module Problems
    MOST_CHARACTERS = 300
    UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/
    REASONS = %w[detail message title error_description error].freeze

    module_function

    # The exception of a status that is no success. +what+: the request, for the message. +redact+ removes the key.
    def status_error(what, response, redact)
      problem = problem_of(response)
      status = response.status
      limited = Limits.limit?(status, response.headers)
      CrmClient.error_class(limited ? 429 : status).new(
        "cannot #{what}: #{reason(problem, status, redact)}",
        status: status,
        server_code: text(problem, %w[code], redact),
        request_id: text(problem, %w[request_id], redact) || text(response.headers, %w[x-request-id], redact),
        fields: fields(problem["errors"], redact)
      )
    end

    def reason(problem, status, redact)
      if status.between?(300, 399)
        return "the server redirects to another address, and redirects are not followed (#{status})"
      end

      message = text(problem, REASONS, redact)
      message ? "#{message} (#{status})" : "the server answered #{status}"
    end

    # The object of a problem document; empty for HTML and all else that is not a JSON object.
    def problem_of(response)
      value = JsonText.parse(response.body)
      return {} unless value.is_a?(Hash)

      value["error"].is_a?(Hash) ? value.merge(value["error"]) : value
    rescue JSON::ParserError
      {}
    end

    def fields(errors, redact)
      return [] unless errors.is_a?(Array)

      errors.grep(Hash).map do |each|
        FieldError.new(
          pointer: pointer(text(each, %w[pointer field], redact).to_s),
          code: text(each, %w[code], redact).to_s,
          detail: text(each, %w[detail message], redact).to_s,
          parameter: text(each, %w[parameter], redact).to_s
        ).freeze
      end
    end

    # RFC 6901. Servers also send a URI fragment, or a path such as lines[0].amount.
    def pointer(place)
      place = place.delete_prefix("#")
      return place if place.empty? || place.start_with?("/")

      steps = place.gsub(/\[([^\]]*)\]/, '.\1').split(".")
      steps.map { |step| "/#{step.gsub("~", "~0").gsub("/", "~1")}" }.join
    end

    def text(object, names, redact)
      found = object.values_at(*names).find { |value| value.is_a?(String) && !value.strip.empty? }
      found && safe_text(redact.call(found))
    end

    # One line without control characters, escape sequences and direction overrides.
    def safe_text(text)
      shown = text.dup.force_encoding(Encoding::UTF_8).scrub("\ufffd").gsub(UNSAFE, " ").strip
      shown.length > MOST_CHARACTERS ? "#{shown[0, MOST_CHARACTERS]}…" : shown
    end
  end
end
