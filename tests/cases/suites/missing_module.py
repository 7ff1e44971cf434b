# fault: No module named
# line: 3
import nothing_like_this
