"""Answers as text, JSON and figures; nothing is computed here."""
