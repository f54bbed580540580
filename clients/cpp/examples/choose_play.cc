// Asks the daemon on 127.0.0.1:50051 for Hard's play of an opening 3-1.
#include <iostream>

#include <bgbot/bgbot.h>

int main() {
  bgbot::v1::ChoosePlayRequest request;
  *request.mutable_position() = bgbot::position_source(bgbot::starting_position());
  request.mutable_dice()->set_die1(3);
  request.mutable_dice()->set_die2(1);
  request.set_level(bgbot::v1::LEVEL_HARD);

  try {
    bgbot::Client client("127.0.0.1:50051");
    std::cout << client.call(&bgbot::Bots::ChoosePlay, request).play().notation() << "\n";
  } catch (const bgbot::Error& error) {
    for (const auto& one : error.violations()) std::cerr << one.field << ": " << one.description << "\n";
    std::cerr << error.what() << "\n";
    return 1;
  }
}
