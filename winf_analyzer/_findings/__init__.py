"""Findings: what makes the network slow, in words, ranked, with what would be gained without each.

A finding is declared in `findings/` (:mod:`.registry`): a question in SQL, a threshold with its source, a remedy and
a display filter. :mod:`.questions` asks it of a dataset, :mod:`.counterfactual` runs the capacity model without the
cause, :mod:`.effects` says what a link would gain, :mod:`.confidence` how sure that is, :mod:`.evidence` in which
frames it shows, and :mod:`.wording` puts it in words. :mod:`.analysis` does all of it.
"""

from winf_analyzer._findings.analysis import Why, findings, why

__all__ = ["Why", "findings", "why"]
