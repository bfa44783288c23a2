"""Which tool call checks which claim: by rule, by a capable model, or by choosing among enumerated calls."""
