"""What is not collected here: the scripts that import torch."""

collect_ignore = ["live"]
