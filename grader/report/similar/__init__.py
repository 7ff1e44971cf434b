"""From the pairs of a class that look alike to text: pages, a table for spreadsheets, and one for the terminal.

None of them says that anyone copied.
"""
