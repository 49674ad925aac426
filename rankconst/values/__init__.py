"""What moments make of a published number: its text, three maps, intervals, probabilities."""
