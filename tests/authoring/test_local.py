"""What a learner's function that runs in this process is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.local import LocalStudent
from grader.authoring.signatures import Signature
from grader.authoring.trouble import StudentError
from grader.devices import RANK, Cluster


@pytest.mark.parametrize(
    ("cluster", "rank"), [(Cluster(8, materialize=False, ranks=[0, 7]), 7), (Cluster(1), None), (Cluster(2), 1)]
)
def test_a_wrong_return_names_the_rank(cluster: Cluster, rank: int | None, tmp_path: Path) -> None:
    (tmp_path / "size.py").write_text("def size(rank):\n    return 0.5 if rank else 1\n")
    student = LocalStudent(tmp_path, signatures={"size": Signature("size", ("rank",), "int")})
    if rank is None:
        assert cluster.run(student.size, RANK) == [1]
        return
    with pytest.raises(StudentError) as caught:
        cluster.run(student.size, RANK)
    assert caught.value.trouble.rank == rank
