-- title: Stations hidden from each other
-- param minimum = 0.5: pairs of lower confidence are left out
-- column source: recording the evidence is from
-- column sender: station that is not heard
-- column hidden_from: station that does not hear it
-- column receiver: station both send to, where they collide
-- column confidence: 0 to 1
-- column mutual: the sender does not hear hidden_from either
-- column unheard_share: of the sender's exchanges in hidden_from's own recording, those without a frame of the sender
-- column late_starts: times that hidden_from began while the sender was sending, not in the same slot
-- column overlapped: the sender's attempts that an exchange of hidden_from overlapped
-- column overlap_ms: how long they overlapped in all, ms
-- column overlapped_loss: share of them without answer
-- column other_loss: share of the sender's other attempts without answer
-- column p_value: chance of so many losses with overlap if overlap did no harm (Fisher's exact test)
select
    source,
    sender,
    hidden_from,
    receiver,
    round(confidence, 4) as confidence,
    mutual,
    round(unheard / nullif(answered, 0), 4) as unheard_share,
    late_starts,
    overlapped,
    round(overlap_us / 1000, 3) as overlap_ms,
    round(overlapped_failed / nullif(overlapped, 0), 4) as overlapped_loss,
    round((failed - overlapped_failed) / nullif(attempts - overlapped, 0), 4) as other_loss,
    p_value
from hidden_pairs
where confidence >= $minimum
order by confidence desc, source, sender, hidden_from
