"""Tests will stand here."""
