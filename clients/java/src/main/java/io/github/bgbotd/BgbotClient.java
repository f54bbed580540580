package io.github.bgbotd;

import io.github.bgbotd.v1.BotServiceGrpc;
import io.github.bgbotd.v1.BotServiceGrpc.BotServiceBlockingStub;
import io.github.bgbotd.v1.DiceServiceGrpc;
import io.github.bgbotd.v1.DiceServiceGrpc.DiceServiceBlockingStub;
import io.github.bgbotd.v1.EvaluationServiceGrpc;
import io.github.bgbotd.v1.EvaluationServiceGrpc.EvaluationServiceBlockingStub;
import io.github.bgbotd.v1.RulesServiceGrpc;
import io.github.bgbotd.v1.RulesServiceGrpc.RulesServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A connection to a backgammon daemon. Threads may share it.
 *
 * <p>Each service takes a call on its generated blocking stub, and throws {@link BgbotException} when
 * the call fails: {@code client.bots(bots -> bots.choosePlay(request))}. What a stub offers, such as
 * {@code bots.withDeadlineAfter(5, SECONDS)}, is there too; a stream is to be read within the call.
 */
public final class BgbotClient implements AutoCloseable {
  private final ManagedChannel managed;
  private final Channel channel;
  private final RulesServiceBlockingStub rules;
  private final BotServiceBlockingStub bots;
  private final EvaluationServiceBlockingStub evaluation;
  private final DiceServiceBlockingStub dice;

  private BgbotClient(Builder builder) {
    managed =
        Grpc.newChannelBuilder(builder.address, builder.credentials)
            .defaultServiceConfig(serviceConfig())
            .enableRetry()
            // The daemon closes connections that ping more often than every 30 seconds.
            .keepAliveTime(60, TimeUnit.SECONDS)
            .keepAliveTimeout(20, TimeUnit.SECONDS)
            .build();
    channel = ClientInterceptors.intercept(managed, new CallDefaults(builder.timeout, builder.token));
    rules = RulesServiceGrpc.newBlockingStub(channel);
    bots = BotServiceGrpc.newBlockingStub(channel);
    evaluation = EvaluationServiceGrpc.newBlockingStub(channel);
    dice = DiceServiceGrpc.newBlockingStub(channel);
  }

  /** Opens a plain connection to {@code HOST:PORT}; it connects with the first call. */
  public static BgbotClient open(String address) {
    return to(address).open();
  }

  /** Begins a connection to {@code HOST:PORT}, or to any other name that gRPC resolves. */
  public static Builder to(String address) {
    return new Builder(address);
  }

  /** Calls {@code RulesService}. */
  public <T> T rules(Function<RulesServiceBlockingStub, T> call) {
    return reading(call, rules);
  }

  /** Calls {@code BotService}. */
  public <T> T bots(Function<BotServiceBlockingStub, T> call) {
    return reading(call, bots);
  }

  /** Calls {@code EvaluationService}. */
  public <T> T evaluation(Function<EvaluationServiceBlockingStub, T> call) {
    return reading(call, evaluation);
  }

  /** Calls {@code DiceService}. */
  public <T> T dice(Function<DiceServiceBlockingStub, T> call) {
    return reading(call, dice);
  }

  /**
   * Gives the channel, with deadline and token, for stubs of other kinds, such as {@code
   * BulkServiceGrpc.newStub(client.channel())}. {@link BgbotException#of} reads their failures.
   */
  public Channel channel() {
    return channel;
  }

  /** Closes the connection; calls in flight are cancelled. */
  @Override
  public void close() {
    managed.shutdownNow();
  }

  private static <S, T> T reading(Function<S, T> call, S stub) {
    try {
      return call.apply(stub);
    } catch (StatusRuntimeException failure) {
      throw BgbotException.of(failure);
    }
  }

  /**
   * Every method but the two streams may be sent twice without harm. UNAVAILABLE says that the daemon
   * was not reached or is draining, so that another try reaches its successor.
   */
  private static Map<String, ?> serviceConfig() {
    List<Map<String, String>> services =
        Stream.of("RulesService", "BotService", "EvaluationService", "DiceService")
            .map(service -> Map.of("service", "bgbot.v1." + service))
            .collect(Collectors.toList());
    Map<String, ?> retries =
        Map.of(
            "maxAttempts", 4.0,
            "initialBackoff", "0.1s",
            "maxBackoff", "1s",
            "backoffMultiplier", 2.0,
            "retryableStatusCodes", List.of("UNAVAILABLE"));
    Map<String, String> rollout = Map.of("service", "bgbot.v1.EvaluationService", "method", "Rollout");
    return Map.of(
        "methodConfig",
        List.of(Map.of("name", services, "retryPolicy", retries), Map.of("name", List.of(rollout))));
  }

  /** How to connect and call. */
  public static final class Builder {
    private final String address;
    private ChannelCredentials credentials = InsecureChannelCredentials.create();
    private Duration timeout = Duration.ofSeconds(30);
    private String token;

    private Builder(String address) {
      this.address = address;
    }

    /** Encrypts the connection, such as with {@code TlsChannelCredentials.create()}. Otherwise it is plain. */
    public Builder credentials(ChannelCredentials credentials) {
      this.credentials = credentials;
      return this;
    }

    /** Sends a bearer token with every call. On a plain connection anyone on the way can read it. */
    public Builder token(String token) {
      this.token = token;
      return this;
    }

    /**
     * Sets how long a unary call may take when it has no deadline of its own; 30 seconds unless said
     * otherwise. Streams take as long as they need.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** Opens the connection; it connects with the first call. */
    public BgbotClient open() {
      return new BgbotClient(this);
    }
  }
}
