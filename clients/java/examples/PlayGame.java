import io.github.bgbotd.BgbotClient;
import io.github.bgbotd.BgbotException;
import io.github.bgbotd.Board;
import io.github.bgbotd.Positions;
import io.github.bgbotd.v1.ApplyCubeActionRequest;
import io.github.bgbotd.v1.ApplyCubeActionResponse;
import io.github.bgbotd.v1.ApplyPlayRequest;
import io.github.bgbotd.v1.ApplyPlayResponse;
import io.github.bgbotd.v1.ChooseCubeActionRequest;
import io.github.bgbotd.v1.ChoosePlayRequest;
import io.github.bgbotd.v1.CubeAction;
import io.github.bgbotd.v1.Decision;
import io.github.bgbotd.v1.Dice;
import io.github.bgbotd.v1.GameSide;
import io.github.bgbotd.v1.Level;
import io.github.bgbotd.v1.ListLegalPlaysRequest;
import io.github.bgbotd.v1.MatchState;
import io.github.bgbotd.v1.Outcome;
import io.github.bgbotd.v1.Play;
import io.github.bgbotd.v1.Position;
import io.github.bgbotd.v1.ResultKind;
import io.github.bgbotd.v1.ScoreGameRequest;
import io.github.bgbotd.v1.ScoreGameResponse;
import io.github.bgbotd.v1.StartGameRequest;
import io.github.bgbotd.v1.StartGameResponse;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;

/**
 * Plays one game of a match to 5 against MEDIUM, with nothing but the daemon's answers: {@code PlayGame
 * [HOST:PORT] [--boards]}.
 *
 * <p>Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. You choose any legal
 * play, never double and take every double: put your own choice in the places marked "your choice".
 */
public final class PlayGame {
  private static final int LENGTH = 5;
  private static final Level LEVEL = Level.LEVEL_MEDIUM;
  private static final String BOT = LEVEL.name().substring("LEVEL_".length());
  private static final Map<ResultKind, String> RESULTS =
      Map.of(
          ResultKind.RESULT_KIND_SINGLE, "a single game",
          ResultKind.RESULT_KIND_GAMMON, "a gammon",
          ResultKind.RESULT_KIND_BACKGAMMON, "a backgammon");

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final SecureRandom random = new SecureRandom();
  private final BgbotClient client;
  private final boolean allBoards;

  // Where the game stands; position and match are seen by the side whose turn it is.
  private boolean yourTurn;
  private Position position;
  private MatchState match;
  private Decision decision;
  private Dice dice;

  private PlayGame(BgbotClient client, boolean allBoards) {
    this.client = client;
    this.allBoards = allBoards;
  }

  public static void main(String[] arguments) {
    List<String> words = List.of(arguments);
    String elsewhere = System.getenv().getOrDefault("BGBOT_ADDRESS", "127.0.0.1:50051");
    String address = words.stream().filter(word -> !word.startsWith("--")).findFirst().orElse(elsewhere);
    try (BgbotClient client = BgbotClient.open(address)) {
      new PlayGame(client, words.contains("--boards")).play();
    } catch (BgbotException failed) {
      System.err.println(failed.getMessage() + " (from " + address + ")");
      System.exit(1);
    }
  }

  /** Carries position and score from each answer to the next request until the game is over. */
  private void play() {
    StartGameRequest request =
        StartGameRequest.newBuilder().setMatch(MatchState.newBuilder().setLength(LENGTH)).build();
    StartGameResponse start = client.rules(rules -> rules.startGame(request));
    yourTurn = start.getBeginner() == GameSide.GAME_SIDE_PLAYER;
    position = start.getPosition();
    match = start.getMatch();
    decision = start.getNextDecision();
    dice = start.getDice();
    draw(position);
    Outcome outcome;
    do {
      outcome = decision == Decision.DECISION_PLAY ? playRoll() : actOnCube();
    } while (!outcome.getGameOver());
    score(outcome);
  }

  /** Throws the dice unless they lie there already, and plays them. */
  private Outcome playRoll() {
    Dice roll = dice != null ? dice : Dice.newBuilder().setDie1(die()).setDie2(die()).build();
    Play chosen = yourTurn ? yourPlay(roll) : botPlay(roll);
    ApplyPlayRequest request =
        ApplyPlayRequest.newBuilder()
            .setPosition(Positions.source(position))
            .setDice(roll)
            .setMatch(match)
            .setPlay(chosen)
            .build();
    ApplyPlayResponse answer = client.rules(rules -> rules.applyPlay(request));
    String notation = answer.getPlay().getNotation();
    out.printf("%-6s  %d-%d  %s%n", name(yourTurn), roll.getDie1(), roll.getDie2(), notation);
    if (allBoards || answer.getOutcome().getGameOver()) {
      draw(answer.getPlay().getResult());
    }
    follow(
        answer.getOutcome(), answer.getNext(), answer.getNextMatch(), answer.getNextDecision(), answer.getNextSide());
    return answer.getOutcome();
  }

  private Play yourPlay(Dice roll) {
    ListLegalPlaysRequest request =
        ListLegalPlaysRequest.newBuilder().setPosition(Positions.source(position)).setDice(roll).build();
    List<Play> legal = client.rules(rules -> rules.listLegalPlays(request)).getPlaysList();
    return legal.get(random.nextInt(legal.size())); // your choice
  }

  private Play botPlay(Dice roll) {
    ChoosePlayRequest request =
        ChoosePlayRequest.newBuilder()
            .setPosition(Positions.source(position))
            .setDice(roll)
            .setMatch(match)
            .setLevel(LEVEL)
            .build();
    return client.bots(bots -> bots.choosePlay(request)).getPlay();
  }

  /** Lets the side whose turn it is double or roll, take or pass. */
  private Outcome actOnCube() {
    CubeAction action = yourTurn ? yourCubeAction() : botCubeAction();
    ApplyCubeActionRequest request =
        ApplyCubeActionRequest.newBuilder()
            .setPosition(Positions.source(position))
            .setMatch(match)
            .setDecision(decision)
            .setAction(action)
            .build();
    ApplyCubeActionResponse answer = client.rules(rules -> rules.applyCubeAction(request));
    switch (action) {
      case CUBE_ACTION_DOUBLE ->
          out.printf("%-6s  doubles to %d%n", name(yourTurn), 2 * match.getCube().getValue());
      case CUBE_ACTION_TAKE -> out.printf("%-6s  takes%n", name(yourTurn));
      case CUBE_ACTION_PASS -> out.printf("%-6s  passes%n", name(yourTurn));
      default -> {} // a roll is seen by its dice
    }
    follow(
        answer.getOutcome(), answer.getNext(), answer.getNextMatch(), answer.getNextDecision(), answer.getNextSide());
    return answer.getOutcome();
  }

  private CubeAction yourCubeAction() {
    return decision == Decision.DECISION_TAKE_OR_PASS
        ? CubeAction.CUBE_ACTION_TAKE // your choice
        : CubeAction.CUBE_ACTION_ROLL; // your choice
  }

  private CubeAction botCubeAction() {
    ChooseCubeActionRequest request =
        ChooseCubeActionRequest.newBuilder()
            .setPosition(Positions.source(position))
            .setMatch(match)
            .setDecision(decision)
            .setLevel(LEVEL)
            .build();
    return client.bots(bots -> bots.chooseCubeAction(request)).getAction();
  }

  /** Goes on to what an answer says comes next; a game that is over stays as it was. */
  private void follow(Outcome outcome, Position next, MatchState nextMatch, Decision nextDecision, GameSide side) {
    if (outcome.getGameOver()) {
      return;
    }
    yourTurn ^= side == GameSide.GAME_SIDE_OPPONENT;
    position = next;
    match = nextMatch;
    decision = nextDecision;
    dice = null;
  }

  /** Says who has won what, with the score as it stands after it. */
  private void score(Outcome outcome) {
    ScoreGameRequest request =
        ScoreGameRequest.newBuilder()
            .setMatch(match)
            .setWinner(outcome.getWinner())
            .setKind(outcome.getKind())
            .build();
    ScoreGameResponse scored = client.rules(rules -> rules.scoreGame(request));
    int own = scored.getNextMatch().getPlayerScore();
    int other = scored.getNextMatch().getOpponentScore();
    boolean youWin = (outcome.getWinner() == GameSide.GAME_SIDE_PLAYER) == yourTurn;
    out.printf(
        "%s won %s, points: %d, score: you %d, %s %d, match to %d%n",
        name(youWin),
        RESULTS.get(outcome.getKind()),
        scored.getPoints(),
        yourTurn ? own : other,
        BOT,
        yourTurn ? other : own,
        LENGTH);
  }

  /** Shows a position, seen by the side whose turn it is, as you see it. */
  private void draw(Position seen) {
    Position yours =
        yourTurn ? seen : Position.newBuilder().setPlayer(seen.getOpponent()).setOpponent(seen.getPlayer()).build();
    out.println(Board.draw(yours));
  }

  private int die() {
    return 1 + random.nextInt(6);
  }

  private static String name(boolean you) {
    return you ? "you" : BOT;
  }
}
