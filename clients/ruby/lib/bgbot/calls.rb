# frozen_string_literal: true

require "bgbot/error"

module Bgbot
  # What every call of a stub has in common: a deadline, a token, and failures read as Bgbot::Error.
  # Extends a generated stub, whose methods all end in one of the three below.
  module Calls
    # A call that is yet to be made, as +return_op: true+ asks for.
    module ReadingOperation
      def execute
        Error.reading { super }
      end
    end
    private_constant :ReadingOperation

    def with_defaults(token:, timeout:)
      @token = token
      @unary_timeout = timeout
      self
    end

    def request_response(*arguments, deadline: nil, metadata: {}, return_op: false, **others)
      deadline ||= Time.now + @unary_timeout
      called = Error.reading do
        super(*arguments, deadline: deadline, metadata: with_token(metadata), return_op: return_op, **others)
      end
      called.singleton_class.prepend(ReadingOperation) if return_op
      called
    end

    def server_streamer(*arguments, metadata: {}, **others, &block)
      read_stream(block) { |each| super(*arguments, metadata: with_token(metadata), **others, &each) }
    end

    def bidi_streamer(*arguments, metadata: {}, **others, &block)
      read_stream(block) { |each| super(*arguments, metadata: with_token(metadata), **others, &each) }
    end

    private

    # Calls with the caller's block, or gives the responses as an Enumerator that may be read once.
    def read_stream(each)
      called = Error.reading { yield each }
      return called unless called.is_a?(Enumerator)

      Enumerator.new { |responses| Error.reading { called.each { |response| responses << response } } }
    end

    def with_token(metadata)
      @token ? metadata.merge("authorization" => "Bearer #{@token}") : metadata
    end
  end
  private_constant :Calls
end
