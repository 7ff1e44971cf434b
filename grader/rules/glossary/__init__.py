"""Rules about the terms of the glossary."""
