"""What speaks against the recordings of replays, before the figures of these."""

from __future__ import annotations

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.overview import facts_checked
from winf_analyzer._sql.datasets import Collection


def of_replays(dataset: Dataset | Collection) -> list[str]:
    """Sentences about recordings, each with the names of the replays that it is about.

    Raises:
        DatasetError: the facts about a replay are not of the form that winf writes.
    """
    datasets = [dataset] if isinstance(dataset, Dataset) else dataset.datasets
    replays = [replay for each in datasets for replay in each.metadata.get("replays", {}).items()]
    with facts_checked(dataset):
        if not any(facts.get("doubts") for _, facts in replays):
            return []
    from winf_analyzer._recommended.reasons import BY_CODE  # slow to import, and seldom needed

    about: dict[str, list[str]] = {}
    with facts_checked(dataset):
        for name, facts in replays:
            for doubt in facts.get("doubts", []):
                if reason := BY_CODE.get(doubt["code"]):
                    about.setdefault(f"{doubt['source']}: {reason.sentence}", []).append(name)
    if len(replays) == 1:
        return [f"{sentence} The replay is no better." for sentence in about]
    return [f"{sentence} No better: {', '.join(names)}." for sentence, names in about.items()]
