"""What the streams that read files have in common."""
