"""What the page on S003 says around its tables; names in braces are filled in."""

INTRODUCTION = """
S003's setting: 802.11b at 11 Mbit/s with RTS/CTS, interference range equal to transmission range, no channel losses,
512-byte packets, queues of 64 packets, greedy flows for {seconds} s; TCP with SACK and ECN, without delayed
acknowledgements, marked where the average queue (weight 0.02) reaches 4 packets. Means over {seeds} seeds with 95 %
confidence intervals. S003 used QualNet 3.9.5.
"""

TOPOLOGIES = """
Goodput of every flow, mean one-way delay of all, seconds until every rate is at 90 % of where it stays. "max-min" is
progressive filling in WCPCap's own model of the medium, over the whole network, acknowledgements included, at
utilisation 1; S003's optimum is from its authors' model, whose formulas are not in the paper. Edges of the last three
topologies are only in its figures, and are rebuilt from its text.
"""

ABSOLUTE_RATES = """
S003 does not say at which rate control frames are sent, nor whether acknowledgements of TCP are preceded by RTS. With
control frames at 2 Mbit/s instead of 1, and RTS for packets of at least 100 bytes only, the model's max-min rates come
near the printed ones; above they are a quarter to a third lower. Everything else is as above.
"""

LOSSY = """
S003 has "a loss rate of 10 % on each link". Taken as losses of attempts, which the MAC repairs; and as losses of
packets, with a MAC that does not try data frames again.
"""

DYNAMICS = """
Chain-Cross, flow 1-7 from {late} to {gone} s only. Rates at which sources send, means over the seconds from 10 to
{late}, {late_settled} to {gone}, {gone_settled} to the end.
"""

FOUND = """
What was found. The orderings of S003 come out but for those marked in the table. "Starves" without sharing is taken
as below half of the others there; it is not the quarter that TCP is held to, which WCP does not reach. Under TCP a
flow starves in every run of Diamond: in nine of ten the middle one, in one run the outer two.

Absolute rates are a quarter below the paper's where control frames have 1 Mbit/s and acknowledgements of TCP an RTS
of their own. With control frames at 2 Mbit/s and RTS for data only, the max-min rates are within 12 % of the printed
ones in all four topologies, and WCPCap's within 2 % in Diamond (306, printed 300) and above what is printed in Stack
(293, at least 255). Every ordering is the same in both settings. WCP stays further below the optimum than the paper's
in both (71 and 70 % of it in Stack, there 83 %): the average queue is above K for longer than a shared round-trip
time, so that sources halve two or three times for one congestion. When the average is sampled is not said; sampled at
departures too it forgets faster, and two runs of Stack gave 160 to 170 kbit/s, of Diamond 211, 172, 209.

WCPCap reaches 90 % within 10 s everywhere. It takes more than the printed seven updates where an update is short:
with the faster control frames up to nine, in Diamond a few hundredths more than seven.

Diamond: the queues that grow are those of node 5, which does not hear 2 and 8, and not those of 1 and 7. Its
neighbourhood holds every link, so that all flows are cut together. The edges are in a figure only.

Goodput correction: the MAC repairs nearly all losses of attempts, and nothing is left to correct. Where it does not,
timeouts decide more than rates do.

The paper leaves open what WCPCap does in five places, and the running world needed an answer in each. An epoch of ten
round-trip times sees four packets here and cannot tell a rate: it goes on until 30 packets have passed, or a second.
The first epoch of a link only measures and is not counted above, and its rate starts from the least granted around
it. A rate never exceeds that of the fastest flow by more than the model finds room for: otherwise it grows without
end where flows are held back elsewhere, and overruns everything once they no longer are. Least rate is one packet per
second. And an average queue counts for five seconds after the last arrival: it only moves with arrivals, and a flow
that ended would congest its neighbours for ever.
"""
