"""Every frame of a capture, field by field, beside what tshark says of it."""
