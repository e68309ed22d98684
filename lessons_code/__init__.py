"""El código del curso: de Seq2Seq a la atención y al Transformer, en NumPy y a la vista."""
