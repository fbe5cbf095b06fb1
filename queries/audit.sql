-- title: Audit: physical rules, and how far each recording keeps them
-- column source: recording
-- column check: the rule: sifs, nav_end, beacon_schedule, ampdu_span, tx_source, overlap, completeness
-- column value: share of the cases (1)
-- column expected: value from which on the verdict is good; for overlap up to which (1)
-- column pairs: cases
-- column verdict: good, doubtful, unusable or not_applicable
-- column consequence: what follows for results
select source, "check", value, expected, pairs, verdict, consequence
from audit
order by source, list_position(['sifs', 'nav_end', 'beacon_schedule', 'ampdu_span', 'tx_source', 'overlap', 'completeness'], "check")
