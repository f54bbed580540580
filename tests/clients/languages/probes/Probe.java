import io.github.bgbotd.BgbotClient;
import io.github.bgbotd.BgbotException;
import io.github.bgbotd.Board;
import io.github.bgbotd.Positions;
import io.github.bgbotd.v1.BulkItem;
import io.github.bgbotd.v1.BulkRequest;
import io.github.bgbotd.v1.BulkResponse;
import io.github.bgbotd.v1.BulkResult;
import io.github.bgbotd.v1.BulkServiceGrpc;
import io.github.bgbotd.v1.CountPipsRequest;
import io.github.bgbotd.v1.CountPipsResponse;
import io.github.bgbotd.v1.PositionSource;
import io.github.bgbotd.v1.RolloutRequest;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Makes one call and says what comes of it: Probe ADDRESS pips|rollout|bulk ID SECONDS TOKEN ROOTS. */
public final class Probe {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  public static void main(String[] words) throws IOException {
    BgbotClient.Builder builder = BgbotClient.to(words[0]);
    if (!words[3].isEmpty()) {
      builder.timeout(Duration.ofMillis((long) (1000 * Double.parseDouble(words[3]))));
    }
    if (!words[4].isEmpty()) {
      builder.token(words[4]);
    }
    if (!words[5].isEmpty()) {
      builder.credentials(TlsChannelCredentials.newBuilder().trustManager(new File(words[5])).build());
    }
    PositionSource source =
        words[2].isEmpty() ? Positions.source(Positions.starting()) : Positions.source(words[2]);
    try (BgbotClient client = builder.open()) {
      switch (words[1]) {
        case "pips" -> pips(client, CountPipsRequest.newBuilder().setPosition(source).build());
        case "bulk" -> bulk(client, CountPipsRequest.newBuilder().setPosition(source).build());
        default -> rollout(client, RolloutRequest.newBuilder().setPosition(source).build());
      }
    } catch (BgbotException failed) {
      OUT.println("error " + failed.getMessage());
      OUT.println("code " + failed.code().value());
      OUT.println("reason " + failed.reason());
      failed.violations().forEach(one -> OUT.println("violation " + one.field() + "|" + one.description()));
      OUT.println("request " + failed.requestId());
      OUT.println("retry " + failed.retryAfter().map(Duration::toMillis).orElse(0L));
    }
  }

  private static void pips(BgbotClient client, CountPipsRequest request) {
    CountPipsResponse count = client.evaluation(evaluation -> evaluation.countPips(request));
    OUT.println("pips " + count.getPlayerPips() + " " + count.getOpponentPips());
    if (count.hasPosition()) {
      OUT.println(Board.draw(count.getPosition()));
    }
  }

  private static void bulk(BgbotClient client, CountPipsRequest request) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    StreamObserver<BulkRequest> requests =
        BulkServiceGrpc.newStub(client.channel())
            .process(
                new StreamObserver<BulkResponse>() {
                  @Override
                  public void onNext(BulkResponse response) {
                    for (BulkResult result : response.getResultsList()) {
                      OUT.println("bulk " + result.getId() + " " + result.getCountPips().getPlayerPips());
                    }
                  }

                  @Override
                  public void onError(Throwable failure) {
                    ended.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(null);
                  }
                });
    requests.onNext(
        BulkRequest.newBuilder().addItems(BulkItem.newBuilder().setId(7).setCountPips(request)).build());
    requests.onCompleted();
    try {
      ended.join();
    } catch (CompletionException failed) {
      throw BgbotException.of(failed.getCause());
    }
  }

  private static void rollout(BgbotClient client, RolloutRequest request) {
    client.evaluation(
        evaluation -> {
          evaluation.rollout(request).forEachRemaining(progress -> OUT.println("trials " + progress.getTrialsDone()));
          return null;
        });
  }
}
