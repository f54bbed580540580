# frozen_string_literal: true

require "json"

module Bgbot
  # A connection to a daemon; each reader gives the generated stub of a service. Threads may share it.
  class Client
    DEFAULT_ADDRESS = "127.0.0.1:50051"
    DEFAULT_TIMEOUT = 30

    # Every method but the two streams may be sent twice without harm. UNAVAILABLE says that the
    # daemon was not reached or is draining, so that another try reaches its successor.
    SERVICE_CONFIG = {
      methodConfig: [
        {
          name: %w[RulesService BotService EvaluationService DiceService].map { |name| { service: "bgbot.v1.#{name}" } },
          retryPolicy: {
            maxAttempts: 4, initialBackoff: "0.1s", maxBackoff: "1s", backoffMultiplier: 2,
            retryableStatusCodes: ["UNAVAILABLE"]
          }
        },
        { name: [{ service: "bgbot.v1.EvaluationService", method: "Rollout" }] }
      ]
    }.freeze

    CHANNEL_ARGUMENTS = {
      "grpc.service_config" => JSON.generate(SERVICE_CONFIG),
      # The daemon closes connections that ping more often than every 30 seconds.
      "grpc.keepalive_time_ms" => 60_000,
      "grpc.keepalive_timeout_ms" => 20_000
    }.freeze
    private_constant :SERVICE_CONFIG, :CHANNEL_ARGUMENTS

    attr_reader :rules, :bots, :evaluation, :bulk, :dice

    # Opens a channel; it connects with the first call. With a block, gives the client to it and closes
    # it afterwards, as File.open does.
    #
    # address::     HOST:PORT, or any other name that gRPC resolves.
    # credentials:: for TLS, a GRPC::Core::ChannelCredentials. Without them the connection is plain.
    # token::       sent with every call as a bearer token. On a plain connection anyone on the way
    #               can read it.
    # timeout::     seconds a unary call may take when it has no +deadline:+ of its own. Streams take
    #               as long as they need.
    def self.open(address = DEFAULT_ADDRESS, **options)
      client = new(address, **options)
      return client unless block_given?

      begin
        yield client
      ensure
        client.close
      end
    end

    def initialize(address = DEFAULT_ADDRESS, credentials: nil, token: nil, timeout: DEFAULT_TIMEOUT)
      security = credentials || :this_channel_is_insecure
      @channel = GRPC::ClientStub.setup_channel(nil, address, security, CHANNEL_ARGUMENTS.dup)
      @rules, @bots, @evaluation, @bulk, @dice =
        [V1::RulesService, V1::BotService, V1::EvaluationService, V1::BulkService, V1::DiceService].map do |service|
          stub = service::Stub.new(address, security, channel_override: @channel)
          stub.extend(Calls).with_defaults(token: token, timeout: timeout)
        end
    end

    # Closes the channel; calls in flight are cancelled.
    def close
      @channel.close
    end
  end
end
