# SPDX-License-Identifier: Apache-2.0
#
# ns-2's own XCP on a wired dumbbell, as comma-separated means per second:
#
#     ns xcp_ns2.tcl BOTTLENECK_MBPS BOTTLENECK_MS ACCESS_MS[,ACCESS_MS..] SPACING_S STOP_S QUEUE_PACKETS SEED TICK_S VARIES
#
# One flow per access delay; flow k starts at k * SPACING_S. Packets carry 1000 bytes and 50 bytes of headers, the option
# of time stamps in them. Window and queue are sampled every 10 ms; `delivered` is the number of segments that all flows
# together have delivered in order so far. The round-trip time is measured in units of TICK_S instead of 10 ms. Queue/XCP
# is told its capacity in bit/s and keeps it in bytes/s, in a variable called link_capacity_bps_. A queue of so many
# packets holds one less, besides the one that is sent.
#
# The seed moves the first firing of every router timer. Every 10 ms the rate of the bottleneck is drawn anew, within
# VARIES of itself to both sides, unless that is 0. Nothing else is random. Acknowledgements come at the pace of the
# bottleneck, so that without it a packet comes to a full queue at the very instant at which another one leaves, and
# rounding decides which is first.

lassign $argv rate_mbps delay_ms access spacing_s stop_s limit seed tick_s varies
set access [split $access ,]

ns-random $seed
set ns [new Simulator]
Queue/XCP set tcp_xcp_on_ 0
Agent/TCP set tcpTick_ $tick_s
Agent/TCP set window_ 10000
Agent/TCP set minrto_ 1.0

proc join_nodes {a b mbps ms limit} {
    global ns
    $ns duplex-link $a $b ${mbps}Mb ${ms}ms XCP
    foreach {from to} [list $a $b $b $a] {
        $ns queue-limit $from $to $limit
        [[$ns link $from $to] queue] set-link-capacity [expr {$mbps * 1e6}]
    }
}

set left [$ns node]
set right [$ns node]
join_nodes $left $right $rate_mbps $delay_ms $limit
set monitor [$ns monitor-queue $left $right ""]

set flows {}
set sinks {}
foreach ms $access {
    set source [$ns node]
    set target [$ns node]
    join_nodes $source $left 100 $ms $limit
    join_nodes $right $target 100 1 $limit
    set tcp [new Agent/TCP/Reno/XCP]
    set sink [new Agent/TCPSink/XCPSink]
    $ns attach-agent $source $tcp
    $ns attach-agent $target $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {[llength $flows] * $spacing_s}] "$ftp start"
    lappend flows $tcp
    lappend sinks $sink
}

proc vary {} {
    global ns left right rate_mbps varies draws
    set share [expr {$varies * (2 * [$draws uniform 0 1] - 1)}]
    [[$ns link $left $right] link] set bandwidth_ [expr {$rate_mbps * 1e6 * (1 + $share)}]
    $ns at [expr {[$ns now] + 0.01}] vary
}

proc sample {} {
    global ns flows monitor sums samples
    foreach tcp $flows { lappend now [$tcp set cwnd_] }
    lappend now [$monitor set pkts_]
    set place 0
    foreach value $now {
        set sums($place) [expr {$sums($place) + $value}]
        incr place
    }
    incr samples
    $ns at [expr {[$ns now] + 0.01}] sample
}

proc report {second} {
    global ns sums samples flows sinks
    set row $second
    for {set place 0} {$place <= [llength $flows]} {incr place} {
        lappend row [format %.3f [expr {$sums($place) / max($samples, 1)}]]
        set sums($place) 0.0
    }
    set samples 0
    set delivered 0
    # The sink counts headers, too, and the SYN of 40 bytes.
    foreach sink $sinks { incr delivered [expr {max([$sink set bytes_] - 40, 0) / 1050}] }
    lappend row $delivered
    puts [join $row ,]
}

set header second
for {set k 0} {$k <= [llength $flows]} {incr k} { set sums($k) 0.0 }
for {set k 0} {$k < [llength $flows]} {incr k} { lappend header window_$k }
puts [join [concat $header queue delivered] ,]
set samples 0
$ns at 0.01 sample
set draws [new RNG]
$draws seed $seed
if {$varies > 0} { $ns at 0.01 vary }
for {set second 1} {$second <= $stop_s} {incr second} { $ns at [expr {$second + 0.001}] "report [expr {$second - 1}]" }
$ns at [expr {$stop_s + 0.002}] "exit 0"
$ns run
