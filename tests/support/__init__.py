"""What tests share: strategies, corpora, requirements, programs."""
