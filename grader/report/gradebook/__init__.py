"""From a class's results to text: one module per format, each with a pure ``render``.

What is in these files is the instructor's: hidden criteria are named in them.
"""
