// A thin client of the backgammon daemon bgbotd. Client opens a channel and calls the methods of the
// contract bgbot.v1, whose messages are in the namespace bgbot::v1. Every failed call throws Error.
#pragma once

#include "bgbot/board.h"
#include "bgbot/client.h"
#include "bgbot/error.h"
#include "bgbot/position.h"
