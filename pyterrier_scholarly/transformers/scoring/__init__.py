"""Score documents by sentences, passages, texts, tokens or words; retrieve by the same scores.

- `sentence_maxsim`, `sentence_transport`: by vectors of sentences; `sentence_retriever` searches.
- `text_similarity`: by one vector per text; `text_retriever` searches.
- `token_maxsim`, `cross_encoder_score`: by models that compare the tokens of both texts.
- `lexical_score`, `bm25`, `paper_tfidf`: by words.
- `document_scores`: by models of whole documents, tf-idf or topics.

Shared by these: `paper_rows` (papers and queries in the rows of a frame), `text_templates` (texts
of columns or of a dataset's documents), `equal_texts` (documents that have the same text) and
`piecewise_tfidf`.
"""
