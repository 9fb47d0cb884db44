# frozen_string_literal: true

require "bigdecimal"
require "json"
require_relative "errors"

module CrmClient
  # JSON in which numbers keep all their digits: fractions are BigDecimal, in both directions.
  module JsonText
    DEEPEST = 100
    # Beyond these, BigDecimal is written with an exponent instead of zeros.
    PLAIN_EXPONENTS = (-30..60)

    module_function

    # Raises JSON::ParserError for text that is not JSON, NaN and Infinity included.
    def parse(bytes)
      text = bytes.dup.force_encoding(Encoding::UTF_8)
      raise JSON::ParserError, "not UTF-8" unless text.valid_encoding?

      JSON.parse(text, decimal_class: BigDecimal)
    end

    # Raises InvalidInput for a value that JSON cannot represent.
    def write(value, depth = 0)
      raise InvalidInput, "the value contains itself, or is nested too deeply" if depth > DEEPEST

      case value
      when nil, true, false then value.nil? ? "null" : value.to_s
      when String, Symbol then text(value.to_s)
      when Integer then value.to_s
      when Float, BigDecimal then number(value)
      when Hash then "{#{value.map { |name, member| "#{text(name_of(name))}:#{write(member, depth + 1)}" }.join(",")}}"
      when Array then "[#{value.map { |item| write(item, depth + 1) }.join(",")}]"
      else
        raise InvalidInput, "a value of class #{value.class} is not JSON; expected text, a number, true, false, nil, an Array or a Hash"
      end
    end

    def name_of(name)
      return name.to_s if name.is_a?(String) || name.is_a?(Symbol)

      raise InvalidInput, "a member is named #{name.inspect}; expected a String or a Symbol"
    end

    def text(value)
      utf8 = value.encode(Encoding::UTF_8)
      raise InvalidInput, "a text is not valid UTF-8" unless utf8.valid_encoding?

      JSON.generate(utf8)
    rescue EncodingError
      raise InvalidInput.new("a text of encoding #{value.encoding} cannot be written in UTF-8"), cause: nil
    end

    def number(value)
      raise InvalidInput, "#{value} is not a JSON number" unless value.finite?
      return value.to_s if value.is_a?(Float)

      value.to_s(PLAIN_EXPONENTS.cover?(value.exponent) ? "F" : "E")
    end
  end
end
