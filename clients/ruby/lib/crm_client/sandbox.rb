# frozen_string_literal: true

require "json"
require "open3"
require "securerandom"

module CrmClient
  # A CRM of its own for tests, which the command line tool crm runs.
  class Sandbox
    STOP_SECONDS = 10
    private_constant :STOP_SECONDS

    # The address, the key, and env of the fixtures, for other processes.
    attr_reader :env

    # Starts one with these fixture files and further flags of `crm sandbox start`. It ends with `stop`, with the block, or
    # after --ttl (an hour) if this process is killed. RuntimeError with what crm said if it does not start.
    def self.start(*flags, seed: [], crm: ["crm"])
      name = "test-#{Process.pid}-#{SecureRandom.hex(4)}"
      words = seed.flat_map { |file| ["--seed", file] }
      input, output, errors, waiter =
        Open3.popen3(*crm, "sandbox", "start", "--foreground", "--name", name, *words, *flags)
      input.close
      raise "crm sandbox start failed: #{errors.read.strip}" unless output.gets

      shown, status = Open3.capture2(*crm, "sandbox", "env", "--name", name, "-o", "json")
      raise "crm sandbox env failed" unless status.success?

      sandbox = new(waiter, JSON.parse(shown))
      return sandbox unless block_given?

      begin
        yield sandbox
      ensure
        sandbox.stop
      end
    end

    def initialize(waiter, env)
      @waiter = waiter
      @env = env
    end

    def base_url = @env.fetch("CRM_BASE_URL")

    def api_key = @env.fetch("CRM_API_KEY")

    def inspect = "#<CrmClient::Sandbox #{base_url}>"

    # Ends it; its data is gone.
    def stop
      return unless @waiter.alive?

      Process.kill("TERM", @waiter.pid)
      Process.kill("KILL", @waiter.pid) unless @waiter.join(STOP_SECONDS)
    end
  end
end
