-- title: Stations hidden from each other
-- param minimum = 0.5 (0 to 1): minimum confidence of a pair
-- column source: recording the evidence is from
-- column sender: station that is not heard
-- column hidden_from: station that does not hear it
-- column receiver: station that both send to, at which they collide
-- column confidence: 0 to 1
-- column mutual: the sender does not hear hidden_from either
-- column unheard_share: share of the sender's exchanges in hidden_from's own recording without a frame of the sender
-- column late_starts: number of times that hidden_from started while the sender was transmitting, not in the same slot
-- column overlapped: the sender's attempts that an exchange of hidden_from overlapped
-- column overlap_ms: total duration of the overlaps, ms
-- column overlapped_loss: share of them without response
-- column other_loss: share of the sender's other attempts without response
-- column p_value: probability of this many losses with overlap if overlap had no effect (Fisher's exact test)
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
