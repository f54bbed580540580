# frozen_string_literal: true

# Asks the daemon on 127.0.0.1:50051 for Hard's play of an opening 3-1.

require "bgbot"

Bgbot::Client.open("127.0.0.1:50051") do |client|
  choice = client.bots.choose_play(
    Bgbot::V1::ChoosePlayRequest.new(
      position: Bgbot.position_source, dice: Bgbot::V1::Dice.new(die1: 3, die2: 1), level: :LEVEL_HARD
    )
  )
  puts choice.play.notation
rescue Bgbot::Error => e
  e.violations.each { |violation| warn "#{violation.field}: #{violation.description}" }
  abort e.message
end
