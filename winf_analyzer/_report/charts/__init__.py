"""The kinds of charts that a panel may have, one module each; tables are one of them.

Each is a function from the rows of a panel to a :class:`~winf_analyzer._report.figure.Drawing`; `gaps` is what lines
share.
"""
