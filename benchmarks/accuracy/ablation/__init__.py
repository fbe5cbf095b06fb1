"""What each rule of the saturation model is worth: every rule left out in turn, beside the truth."""
