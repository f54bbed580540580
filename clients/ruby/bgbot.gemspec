# frozen_string_literal: true

Gem::Specification.new do |gem|
  gem.name = "bgbot"
  gem.version = "0.1.0"
  gem.summary = "Client of the backgammon bot daemon bgbotd"
  gem.description = "Legal plays, bots, evaluation and cube decisions over gRPC: a thin layer over the generated stubs."
  gem.authors = ["The bgbotd authors"]
  gem.license = "MIT"
  gem.homepage = "https://github.com/bgbotd/bgbotd/tree/main/clients/ruby"
  gem.metadata = { "source_code_uri" => "https://github.com/bgbotd/bgbotd", "rubygems_mfa_required" => "true" }
  gem.required_ruby_version = ">= 3.1"
  gem.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "examples/*.rb", "README.md", "LICENSE"] }
  gem.add_dependency "google-protobuf", ">= 3.21.12", "< 5"
  gem.add_dependency "googleapis-common-protos-types", "~> 1.4"
  gem.add_dependency "grpc", "~> 1.51"
end
