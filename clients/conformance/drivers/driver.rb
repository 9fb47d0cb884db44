# frozen_string_literal: true

# The driver of the Ruby client.

$LOAD_PATH.unshift(File.expand_path("../../ruby/lib", __dir__))

require "crm_client"
require "logger"
require "pp"

# Runs the steps of a scenario.
class Driver
  def run(step)
    given = step.fetch("with", {})
    case step["do"]
    when "open" then { value: open(given) }
    when "close" then { value: @client&.close }
    else call(step["call"], given)
    end
  end

  private

  def open(given)
    @page_size = given["pageSize"]
    # Everything that the client logs goes to stderr, where the key must not be.
    options = { timeout: given["timeoutMs"] / 1000.0, max_wait: given["maxWaitMs"] / 1000.0, logger: Logger.new($stderr) }
    @client = CrmClient::Client.new(given["baseUrl"], given["apiKey"], **options)
    nil
  end

  def call(name, given)
    return { value: verify(given) } if name == "webhooks.verify"
    return { value: shown } if name == "client.show"

    group, method = name.split(".")
    resource = @client.respond_to?(group) ? @client.public_send(group, *given["noun"]) : nil
    # Kernel has a private test.
    return { isLacking: true } unless resource.respond_to?(method)

    { value: result(resource, method, given) }
  end

  def shown
    transport = @client.instance_variable_get(:@transport)
    parts = transport.instance_variables.map { |name| transport.instance_variable_get(name).inspect }
    [@client.to_s, @client.inspect, @client.pretty_inspect, transport.inspect, transport.pretty_inspect, *parts]
  end

  def result(resource, method, given)
    parents = [given["parent"]].compact
    case method
    when "list" then list(resource, parents, given)
    when "create" then resource.create(*parents, given["fields"], **some(given, "idempotencyKey" => :idempotency_key))
    when "update"
      options = some(given, "idempotencyKey" => :idempotency_key, "ifMatch" => :if_match)
      resource.update(given["id"], given["fields"], **options)
    else resource.public_send(method, given["id"], **some(given, "ifMatch" => :if_match))
    end
  end

  def list(resource, parents, given)
    filters = given.fetch("filters", {}).to_h { |name, value| [name.sub("[", "_").sub("]", "").to_sym, value] }
    options = { **filters, **some(given, "limit" => :limit, "cursor" => :cursor), page_size: @page_size }
    records = resource.list(*parents, **options)
    given["take"] ? records.first(given["take"]) : records.to_a
  end

  def verify(given)
    CrmClient.verify(given["body"].unpack1("m0"), given["headers"], given["secrets"], **some(given, "now" => :now))
  end

  def some(given, names)
    names.filter_map { |key, name| [name, given[key]] if given.key?(key) }.to_h
  end
end

def error_of(error)
  # As an uncaught exception is shown.
  warn error.full_message, error.inspect, error.pretty_inspect, error.instance_variables.map { |name| error.instance_variable_get(name).inspect }
  return { code: "bug", message: error.full_message(highlight: false) } unless error.is_a?(CrmClient::Error)

  {
    code: error.code, message: error.message, status: error.status, serverCode: error.server_code,
    requestId: error.request_id, fields: error.fields.map(&:to_h), isRetryable: error.retryable?,
    isInDoubt: error.in_doubt?, idempotencyKey: error.idempotency_key,
    retryAfterMs: error.retry_after && (error.retry_after * 1000),
    reason: error.is_a?(CrmClient::SignatureError) ? error.reason : nil
  }
end

$stdin.binmode
$stdout.sync = true
driver = Driver.new
while (line = $stdin.gets)
  step = CrmClient::JsonText.parse(line)
  reply = begin
    driver.run(step)
  rescue StandardError => e
    { error: error_of(e) }
  end
  $stdout.puts CrmClient::JsonText.write({ id: step["id"], **reply })
end
