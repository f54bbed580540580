import io.github.bgbotd.BgbotClient;
import io.github.bgbotd.BgbotException;
import io.github.bgbotd.Positions;
import io.github.bgbotd.v1.ChoosePlayRequest;
import io.github.bgbotd.v1.Dice;
import io.github.bgbotd.v1.Level;

/** Asks the daemon on 127.0.0.1:50051 for Hard's play of an opening 3-1. */
public final class ChoosePlay {
  public static void main(String[] arguments) {
    ChoosePlayRequest request =
        ChoosePlayRequest.newBuilder()
            .setPosition(Positions.source(Positions.starting()))
            .setDice(Dice.newBuilder().setDie1(3).setDie2(1))
            .setLevel(Level.LEVEL_HARD)
            .build();
    try (BgbotClient client = BgbotClient.open("127.0.0.1:50051")) {
      System.out.println(client.bots(bots -> bots.choosePlay(request)).getPlay().getNotation());
    } catch (BgbotException refused) {
      refused.violations().forEach(one -> System.err.println(one.field() + ": " + one.description()));
      throw refused;
    }
  }
}
