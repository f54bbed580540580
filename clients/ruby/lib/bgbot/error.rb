# frozen_string_literal: true

require "google/protobuf/well_known_types"
require "google/rpc/error_details_pb"

module Bgbot
  # One thing that is wrong with a request.
  #
  # field::       path of the field in the request, such as "position.position.player.points[5]"
  # description:: what was found there and what would have been right
  # reason::      name of a V1::ErrorReason without its prefix; empty where the daemon says none, and
  #               with releases of googleapis-common-protos-types before 1.16, which do not know it
  Violation = Struct.new(:field, :description, :reason)

  # A call that failed, refused by the daemon or lost on the way to it. Its cause is gRPC's own error.
  class Error < StandardError
    # The status as a symbol, such as :INVALID_ARGUMENT.
    attr_reader :code
    # What went wrong, for a person to read.
    attr_reader :details
    # Name of a V1::ErrorReason without its prefix; empty when the answer is not the daemon's own.
    attr_reader :reason
    # Everything that is wrong with the request, each a Violation; empty unless it was refused as invalid.
    attr_reader :violations
    # Finds the call in the daemon's log; empty where the daemon was not reached.
    attr_reader :request_id
    # Seconds to wait before trying again; nil where the daemon does not say.
    attr_reader :retry_after

    CODES = GRPC::Core::StatusCodes.constants.to_h { |name| [GRPC::Core::StatusCodes.const_get(name), name] }.freeze
    private_constant :CODES

    # Runs the block; a failure of gRPC is raised as this error.
    def self.reading
      yield
    rescue GRPC::BadStatus => e
      raise new(e)
    end

    def initialize(failure)
      @code = CODES.fetch(failure.code, :UNKNOWN)
      @details = failure.details
      @request_id = failure.metadata.fetch("x-request-id", "")
      @reason = ""
      @violations = []
      failure.to_rpc_status&.details&.each { |detail| read(detail) }
      super("#{code}: #{details}")
    end

    private

    def read(packed)
      if (detail = packed.unpack(Google::Rpc::ErrorInfo))
        @reason = detail.reason
      elsif (detail = packed.unpack(Google::Rpc::RetryInfo))
        @retry_after = detail.retry_delay&.to_f
      elsif (detail = packed.unpack(Google::Rpc::BadRequest))
        @violations = detail.field_violations.map do |violation|
          Violation.new(violation.field, violation.description, violation.respond_to?(:reason) ? violation.reason : "")
        end
      end
    end
  end
end
