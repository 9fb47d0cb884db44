# frozen_string_literal: true

require "net/http"
require "openssl"
require "timeout"

module CrmClient
  # No complete response.
  class NoResponse < StandardError
    # sent: the server may have received the request. final: a retry does not help.
    def initialize(reason, sent:, timeout: false, final: false)
      super(reason)
      @sent, @timeout, @final = sent, timeout, final
    end

    def sent? = @sent
    def timeout? = @timeout
    def final? = @final
  end

  # +headers+ by name in lower case; several of one name are joined with commas.
  Response = Struct.new(:status, :headers, :body)

  # Connections to one origin, kept open between requests. Threads may share it.
  class Connections
    # Servers close idle connections after some seconds; a request on a closed one would be lost.
    IDLE_SECONDS = 3
    MOST_BYTES = 64 * 1024 * 1024

    METHODS = {
      "GET" => Net::HTTP::Get, "POST" => Net::HTTP::Post, "PATCH" => Net::HTTP::Patch, "DELETE" => Net::HTTP::Delete
    }.freeze

    # The time of the whole request is over: the timeouts of Net::HTTP are for each read alone.
    class Overdue < StandardError; end
    class TooLong < StandardError; end
    private_constant :Overdue, :TooLong

    def initialize(base)
      @base = base
      @idle = []
      @mutex = Mutex.new
    end

    def inspect = "#<#{self.class.name}>"

    # Raises NoResponse.
    def send_request(method, target, headers, body, seconds)
      ends = now + seconds
      connection = take || open(seconds)
      response = exchange(connection, request_of(method, target, headers, body), [ends - now, 0.001].max)
      keep(connection)
      connection = nil
      response
    ensure
      finish(connection) if connection
    end

    def close
      @mutex.synchronize { @idle.slice!(0..) }.each { |connection, _| finish(connection) }
      nil
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def take
      loop do
        connection, since = @mutex.synchronize { @idle.pop }
        return nil unless connection
        return connection if now - since < IDLE_SECONDS

        finish(connection)
      end
    end

    def keep(connection)
      @mutex.synchronize { @idle.push([connection, now]) }
    end

    def finish(connection)
      connection.finish if connection.started?
    end

    def open(seconds)
      # nil: the proxies of the environment are not used.
      http = Net::HTTP.new(@base.hostname, @base.port, nil)
      http.use_ssl = @base.scheme == "https"
      http.open_timeout = http.read_timeout = http.write_timeout = seconds
      # The retries of Net::HTTP would be hidden from those of the client.
      http.max_retries = 0
      http.keep_alive_timeout = IDLE_SECONDS
      http.start
    rescue Timeout::Error
      raise NoResponse.new("could not be reached in time", sent: false, timeout: true), cause: nil
    rescue OpenSSL::SSL::SSLError => error
      raise NoResponse.new("no TLS connection: #{error.message}", sent: false, final: true), cause: nil
    rescue SystemCallError, SocketError, IOError => error
      raise NoResponse.new("cannot be reached: #{error.message}", sent: false), cause: nil
    end

    def request_of(method, target, headers, body)
      request = METHODS.fetch(method).new(target, headers)
      # Without this, Net::HTTP asks for gzip.
      request["Accept-Encoding"] = "identity"
      request.body = body if body
      request["Content-Length"] = "0" if body.nil? && method == "POST"
      request
    end

    def exchange(connection, request, seconds)
      Timeout.timeout(seconds, Overdue) { read(connection, request) }
    rescue Overdue, Timeout::Error
      raise NoResponse.new("did not answer in full in time", sent: true, timeout: true), cause: nil
    rescue TooLong
      raise NoResponse.new("sent more than 64 MiB", sent: true, final: true), cause: nil
    rescue Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError
      raise NoResponse.new("does not speak HTTP", sent: true, final: true), cause: nil
    rescue SystemCallError, SocketError, IOError, OpenSSL::SSL::SSLError, Net::ProtocolError
      raise NoResponse.new("closed the connection before its answer was complete", sent: true), cause: nil
    end

    def read(connection, request)
      content = +"".b
      received = connection.request(request) do |response|
        response.read_body do |part|
          content << part
          raise TooLong if content.bytesize > MOST_BYTES
        end
      end
      # Net::HTTP takes a body that ends early for a whole one.
      length = received["content-length"]
      raise EOFError if length && received.class.body_permitted? && content.bytesize != length.to_i

      Response.new(received.code.to_i, received.each_header.to_h, content)
    end
  end
end
