package io.github.bgbotd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a call gets unless it says otherwise: a deadline if it is unary, and the token. */
final class CallDefaults implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Duration timeout;
  private final String token;

  CallDefaults(Duration timeout, String token) {
    this.timeout = timeout;
    this.token = token;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions own, Channel next) {
    boolean unlimited = own.getDeadline() == null && method.getType() == MethodDescriptor.MethodType.UNARY;
    CallOptions options = unlimited ? own.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS) : own;
    return new SimpleForwardingClientCall<Q, A>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        if (token != null) {
          headers.put(AUTHORIZATION, "Bearer " + token);
        }
        super.start(listener, headers);
      }
    };
  }
}
