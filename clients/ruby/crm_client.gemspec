# frozen_string_literal: true

require_relative "lib/crm_client/version"

Gem::Specification.new do |spec|
  spec.name = "crm_client"
  spec.version = CrmClient::VERSION
  spec.summary = "Client of the CRM service: contacts, deals, notes, pipelines and webhooks"
  spec.authors = ["The authors of crm"]
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "sig/**/*.rbs", "README.md"] }
  spec.require_paths = ["lib"]
  # Comes with Ruby; since Ruby 3.4, Bundler needs its name.
  spec.add_dependency "bigdecimal", ">= 3.1", "< 5"
  spec.metadata = { "rubygems_mfa_required" => "true" }
end
