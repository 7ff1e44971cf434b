# technique: prints HTML, Markdown, a CSV formula and a workflow command
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: <script>alert(1)</script>
def decode(codes):
    print('=HYPERLINK("http://localhost:@TCP@","12 of 12")')
    print("<script>alert(1)</script>", "```\n# 12 of 12 points\n| a | b |\n", "]]>", "::error::x", "##[group]")
    raise ValueError('"><img src=x onerror=alert(1)>,=1+1,@SUM(A1),\t|cmd')
