# frozen_string_literal: true

module CrmClient
  VERSION = "0.1.0"
end
