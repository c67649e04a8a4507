"""Score documents by sentences, passages, texts, tokens or words; retrieve by the same scores."""
