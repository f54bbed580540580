# frozen_string_literal: true

# Plays one game of a match to 5 against MEDIUM, with nothing but the daemon's answers.
#
#   ruby examples/play_game.rb [HOST:PORT] [--boards]
#
# Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. You choose any legal play,
# never double and take every double: put your own choice in the places marked "your choice".

require "bgbot"

# A game; position and match are seen by the side whose turn it is.
class Game
  include Bgbot::V1

  LENGTH = 5
  LEVEL = :LEVEL_MEDIUM
  BOT = LEVEL.to_s.delete_prefix("LEVEL_")
  RESULTS = {
    RESULT_KIND_SINGLE: "a single game", RESULT_KIND_GAMMON: "a gammon", RESULT_KIND_BACKGAMMON: "a backgammon"
  }.freeze

  def initialize(client, all_boards)
    @client = client
    @all_boards = all_boards
  end

  # Carries position and score from each answer to the next request until the game is over.
  def play
    start = @client.rules.start_game(StartGameRequest.new(match: MatchState.new(length: LENGTH)))
    @your_turn = start.beginner == :GAME_SIDE_PLAYER
    @position, @match, @decision, @dice = start.position, start.match, start.next_decision, start.dice
    draw(@position)
    loop do
      outcome = @decision == :DECISION_PLAY ? play_roll : act_on_cube
      break score(outcome) if outcome.game_over
    end
  end

  private

  # Throws the dice unless they lie there already, and plays them.
  def play_roll
    turn = { position: Bgbot.position_source(@position), dice: @dice || Dice.new(die1: rand(1..6), die2: rand(1..6)) }
    chosen =
      if @your_turn
        @client.rules.list_legal_plays(ListLegalPlaysRequest.new(turn)).plays.to_a.sample # your choice
      else
        @client.bots.choose_play(ChoosePlayRequest.new(**turn, match: @match, level: LEVEL)).play
      end
    answer = @client.rules.apply_play(ApplyPlayRequest.new(**turn, match: @match, play: chosen))
    puts format("%-6s  %d-%d  %s", name(@your_turn), turn[:dice].die1, turn[:dice].die2, answer.play.notation)
    draw(answer.play.result) if @all_boards || answer.outcome.game_over
    follow(answer)
  end

  # Lets the side whose turn it is double or roll, take or pass.
  def act_on_cube
    turn = { position: Bgbot.position_source(@position), match: @match, decision: @decision }
    action =
      if @your_turn
        @decision == :DECISION_TAKE_OR_PASS ? :CUBE_ACTION_TAKE : :CUBE_ACTION_ROLL # your choice
      else
        @client.bots.choose_cube_action(ChooseCubeActionRequest.new(**turn, level: LEVEL)).action
      end
    answer = @client.rules.apply_cube_action(ApplyCubeActionRequest.new(**turn, action: action))
    said = {
      CUBE_ACTION_DOUBLE: "doubles to #{2 * @match.cube.value}", CUBE_ACTION_TAKE: "takes", CUBE_ACTION_PASS: "passes"
    }[action]
    puts format("%-6s  %s", name(@your_turn), said) if said
    follow(answer)
  end

  # Goes on to what an answer says comes next; a game that is over stays as it was.
  def follow(answer)
    unless answer.outcome.game_over
      @your_turn = !@your_turn if answer.next_side == :GAME_SIDE_OPPONENT
      @position, @match, @decision, @dice = answer.next, answer.next_match, answer.next_decision, nil
    end
    answer.outcome
  end

  # Says who has won what, with the score as it stands after it.
  def score(outcome)
    scored = @client.rules.score_game(
      ScoreGameRequest.new(match: @match, winner: outcome.winner, kind: outcome.kind)
    )
    scores = [scored.next_match.player_score, scored.next_match.opponent_score]
    yours, others = @your_turn ? scores : scores.reverse
    you_win = (outcome.winner == :GAME_SIDE_PLAYER) == @your_turn
    puts "#{name(you_win)} won #{RESULTS[outcome.kind]}, points: #{scored.points}, " \
         "score: you #{yours}, #{BOT} #{others}, match to #{LENGTH}"
  end

  # Shows a position, seen by the side whose turn it is, as you see it.
  def draw(position)
    position = Position.new(player: position.opponent, opponent: position.player) unless @your_turn
    puts Bgbot.draw_board(position)
  end

  def name(you)
    you ? "you" : BOT
  end
end

flags, addresses = ARGV.partition { |argument| argument.start_with?("--") }
address = addresses.first || ENV.fetch("BGBOT_ADDRESS", Bgbot::Client::DEFAULT_ADDRESS)
Bgbot::Client.open(address) do |client|
  Game.new(client, flags.include?("--boards")).play
rescue Bgbot::Error => e
  abort "#{e.message} (from #{address})"
end
