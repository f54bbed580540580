// Plays one game of a match to 5 against MEDIUM, with nothing but the daemon's answers.
//
//   play_game [HOST:PORT] [--boards]
//
// Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. You choose any legal play,
// never double and take every double: put your own choice in the places marked "your choice".
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include <bgbot/bgbot.h>

namespace {

using namespace bgbot::v1;  // NOLINT: an example reads best with the contract's own words

constexpr int kLength = 5;
constexpr Level kLevel = LEVEL_MEDIUM;
const std::string kBot = "MEDIUM";
const std::map<ResultKind, std::string> kResults = {
    {RESULT_KIND_SINGLE, "a single game"}, {RESULT_KIND_GAMMON, "a gammon"}, {RESULT_KIND_BACKGAMMON, "a backgammon"}};

// A game; position and match are seen by the side whose turn it is.
class Game {
 public:
  Game(bgbot::Client& client, bool all_boards) : client_(client), all_boards_(all_boards) {}

  // Carries position and score from each answer to the next request until the game is over.
  void play() {
    StartGameRequest request;
    request.mutable_match()->set_length(kLength);
    const auto start = client_.call(&bgbot::Rules::StartGame, request);
    your_turn_ = start.beginner() == GAME_SIDE_PLAYER;
    position_ = start.position();
    match_ = start.match();
    decision_ = start.next_decision();
    dice_ = start.dice();
    draw(position_);
    Outcome outcome;
    do {
      outcome = decision_ == DECISION_PLAY ? play_roll() : act_on_cube();
    } while (!outcome.game_over());
    score(outcome);
  }

 private:
  // Throws the dice unless they lie there already, and plays them.
  Outcome play_roll() {
    if (!dice_) {
      dice_.emplace();
      dice_->set_die1(any(1, 6));
      dice_->set_die2(any(1, 6));
    }
    auto request = about_turn<ApplyPlayRequest>();
    *request.mutable_match() = match_;
    *request.mutable_dice() = *dice_;
    *request.mutable_play() = your_turn_ ? your_play() : bot_play();
    const auto answer = client_.call(&bgbot::Rules::ApplyPlay, request);
    said() << dice_->die1() << "-" << dice_->die2() << "  " << answer.play().notation() << "\n";
    if (all_boards_ || answer.outcome().game_over()) draw(answer.play().result());
    return follow(answer);
  }

  Play your_play() {
    auto request = about_turn<ListLegalPlaysRequest>();
    *request.mutable_dice() = *dice_;
    const auto legal = client_.call(&bgbot::Rules::ListLegalPlays, request);
    return legal.plays(any(0, legal.plays_size() - 1));  // your choice
  }

  Play bot_play() {
    auto request = about_turn<ChoosePlayRequest>();
    *request.mutable_match() = match_;
    *request.mutable_dice() = *dice_;
    request.set_level(kLevel);
    return client_.call(&bgbot::Bots::ChoosePlay, request).play();
  }

  // Lets the side whose turn it is double or roll, take or pass.
  Outcome act_on_cube() {
    auto request = about_turn<ApplyCubeActionRequest>();
    *request.mutable_match() = match_;
    request.set_decision(decision_);
    request.set_action(your_turn_ ? your_cube_action() : bot_cube_action());
    const auto answer = client_.call(&bgbot::Rules::ApplyCubeAction, request);
    if (request.action() == CUBE_ACTION_DOUBLE) said() << "doubles to " << 2 * match_.cube().value() << "\n";
    if (request.action() == CUBE_ACTION_TAKE) said() << "takes\n";
    if (request.action() == CUBE_ACTION_PASS) said() << "passes\n";
    return follow(answer);
  }

  CubeAction your_cube_action() const {
    return decision_ == DECISION_TAKE_OR_PASS ? CUBE_ACTION_TAKE   // your choice
                                              : CUBE_ACTION_ROLL;  // your choice
  }

  CubeAction bot_cube_action() {
    auto request = about_turn<ChooseCubeActionRequest>();
    *request.mutable_match() = match_;
    request.set_decision(decision_);
    request.set_level(kLevel);
    return client_.call(&bgbot::Bots::ChooseCubeAction, request).action();
  }

  // Goes on to what an answer says comes next; a game that is over stays as it was.
  template <typename Answer>
  Outcome follow(const Answer& answer) {
    if (!answer.outcome().game_over()) {
      if (answer.next_side() == GAME_SIDE_OPPONENT) your_turn_ = !your_turn_;
      position_ = answer.next();
      match_ = answer.next_match();
      decision_ = answer.next_decision();
      dice_.reset();
    }
    return answer.outcome();
  }

  // Says who has won what, with the score as it stands after it.
  void score(const Outcome& outcome) {
    ScoreGameRequest request;
    *request.mutable_match() = match_;
    request.set_winner(outcome.winner());
    request.set_kind(outcome.kind());
    const auto scored = client_.call(&bgbot::Rules::ScoreGame, request);
    int yours = scored.next_match().player_score(), others = scored.next_match().opponent_score();
    if (!your_turn_) std::swap(yours, others);
    const bool you_win = (outcome.winner() == GAME_SIDE_PLAYER) == your_turn_;
    std::cout << (you_win ? "you" : kBot) << " won " << kResults.at(outcome.kind()) << ", points: " << scored.points()
              << ", score: you " << yours << ", " << kBot << " " << others << ", match to " << kLength << "\n";
  }

  // Shows a position, seen by the side whose turn it is, as you see it.
  void draw(Position seen) const {
    if (!your_turn_) seen.mutable_player()->Swap(seen.mutable_opponent());
    std::cout << bgbot::draw_board(seen) << "\n";
  }

  template <typename Request>
  Request about_turn() const {
    Request request;
    *request.mutable_position() = bgbot::position_source(position_);
    return request;
  }

  std::ostream& said() const {
    return std::cout << std::left << std::setw(6) << (your_turn_ ? "you" : kBot) << "  ";
  }

  int any(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  bgbot::Client& client_;
  bool all_boards_;
  std::random_device random_;
  bool your_turn_ = false;
  Position position_;
  MatchState match_;
  Decision decision_ = DECISION_UNSPECIFIED;
  std::optional<bgbot::v1::Dice> dice_;
};

}  // namespace

int main(int count, char** words) {
  const char* elsewhere = std::getenv("BGBOT_ADDRESS");
  std::string address = elsewhere ? elsewhere : "127.0.0.1:50051";
  bool all_boards = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--boards") {
      all_boards = true;
    } else {
      address = word;
    }
  }
  try {
    bgbot::Client client(address);
    Game(client, all_boards).play();
  } catch (const bgbot::Error& error) {
    std::cerr << error.what() << " (from " << address << ")\n";
    return 1;
  }
}
