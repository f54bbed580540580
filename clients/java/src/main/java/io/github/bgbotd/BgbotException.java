package io.github.bgbotd;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A call that failed, refused by the daemon or lost on the way to it. Its cause is gRPC's own. */
public final class BgbotException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final Metadata.Key<String> REQUEST_ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * One thing that is wrong with a request.
   *
   * @param field path of the field in the request, such as {@code position.position.player.points[5]}
   * @param description what was found there and what would have been right
   * @param reason name of an {@code ErrorReason} without its prefix; empty where the daemon says none
   */
  public record Violation(String field, String description, String reason) {}

  private final transient Status status;
  private final String reason;
  private final transient List<Violation> violations;
  private final String requestId;
  private final Duration retryAfter;

  private BgbotException(Throwable failure) {
    super(message(Status.fromThrowable(failure)), failure);
    status = Status.fromThrowable(failure);
    Metadata trailers = Status.trailersFromThrowable(failure);
    String id = trailers == null ? null : trailers.get(REQUEST_ID);
    requestId = id == null ? "" : id;
    com.google.rpc.Status said = StatusProto.fromThrowable(failure);
    List<Any> details = said == null ? List.of() : said.getDetailsList();
    reason = detail(details, ErrorInfo.class).map(ErrorInfo::getReason).orElse("");
    retryAfter =
        detail(details, RetryInfo.class)
            .map(RetryInfo::getRetryDelay)
            .map(delay -> Duration.ofSeconds(delay.getSeconds(), delay.getNanos()))
            .orElse(null);
    violations =
        detail(details, BadRequest.class).stream()
            .flatMap(refused -> refused.getFieldViolationsList().stream())
            .map(one -> new Violation(one.getField(), one.getDescription(), one.getReason()))
            .collect(Collectors.toUnmodifiableList());
  }

  /** Reads the failure of a call of a stub of any kind. */
  public static BgbotException of(Throwable failure) {
    return new BgbotException(failure);
  }

  /** The status, such as {@code INVALID_ARGUMENT}. */
  public Status.Code code() {
    return status.getCode();
  }

  /** Name of an {@code ErrorReason} without its prefix; empty when the answer is not the daemon's own. */
  public String reason() {
    return reason;
  }

  /** Everything that is wrong with the request; empty unless it was refused as invalid. */
  public List<Violation> violations() {
    return violations;
  }

  /** Finds the call in the daemon's log; empty where the daemon was not reached. */
  public String requestId() {
    return requestId;
  }

  /** How long to wait before trying again, where the daemon says it. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** Gives code and description, and what lies behind them where the daemon was not reached. */
  private static String message(Status status) {
    String description = status.getDescription() == null ? "" : status.getDescription();
    String behind = status.getCause() == null ? "" : " (" + status.getCause().getMessage() + ")";
    return status.getCode() + ": " + description + behind;
  }

  private static <T extends com.google.protobuf.Message> Optional<T> detail(List<Any> details, Class<T> kind) {
    for (Any packed : details) {
      if (packed.is(kind)) {
        try {
          return Optional.of(packed.unpack(kind));
        } catch (InvalidProtocolBufferException garbled) {
          return Optional.empty(); // from some proxy; the status itself still counts
        }
      }
    }
    return Optional.empty();
  }
}
