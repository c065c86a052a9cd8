"""What tests share: backends, strategies, corpora, requirements, programs."""
