"""What the moments do to a published number: the number as printed, the three maps, intervals, probabilities."""
