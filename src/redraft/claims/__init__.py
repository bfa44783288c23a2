"""Reading a text: pure functions from text to spans, numbers, statements, quotations, comparisons and edits."""
