# frozen_string_literal: true

# Makes one call and says what comes of it: probe ADDRESS pips|rollout|bulk ID SECONDS TOKEN ROOTS.

require "bgbot"

address, method, id, seconds, token, roots = ARGV
options = {}
options[:timeout] = seconds.to_f unless seconds.empty?
options[:token] = token unless token.empty?
options[:credentials] = GRPC::Core::ChannelCredentials.new(File.read(roots)) unless roots.empty?
source = id.empty? ? Bgbot.position_source : Bgbot.position_source(id)

begin
  Bgbot::Client.open(address, **options) do |client|
    case method
    when "pips"
      count = client.evaluation.count_pips(Bgbot::V1::CountPipsRequest.new(position: source))
      puts "pips #{count.player_pips} #{count.opponent_pips}"
      puts Bgbot.draw_board(count.position) if count.position
    when "bulk"
      item = Bgbot::V1::BulkItem.new(id: 7, count_pips: Bgbot::V1::CountPipsRequest.new(position: source))
      client.bulk.process([Bgbot::V1::BulkRequest.new(items: [item])].each).each do |response|
        response.results.each { |result| puts "bulk #{result.id} #{result.count_pips.player_pips}" }
      end
    else
      client.evaluation.rollout(Bgbot::V1::RolloutRequest.new(position: source)).each do |progress|
        puts "trials #{progress.trials_done}"
      end
    end
  end
rescue Bgbot::Error => e
  puts "error #{e.message}"
  puts "code #{GRPC::Core::StatusCodes.const_get(e.code)}"
  puts "reason #{e.reason}"
  e.violations.each { |violation| puts "violation #{violation.field}|#{violation.description}" }
  puts "request #{e.request_id}"
  puts "retry #{((e.retry_after || 0) * 1000).round}"
end
