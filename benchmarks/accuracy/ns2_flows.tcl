# SPDX-License-Identifier: Apache-2.0
#
# Flows of UDP between the nodes of a simulation in ns-2, and what they deliver. Whoever sources this has `ns`, `node`,
# `trace`, `option(seconds)`, `bytes` (of a packet), `first` (start of the traffic, s), `bin` (of goodput.csv, s).

set stream 0

# A flow of packets of `bytes`, whose arrivals come from a stream of random numbers of its own: the
# background is the same, packet by packet, with the link filled and without.
proc flow {name from to rate kind} {
    global ns node sink bytes first stream
    set source [new Agent/UDP]
    $source set packetSize_ $bytes ;# larger packets would be split
    set sink($name) [new Agent/LossMonitor]
    $ns attach-agent $node($from) $source
    $ns attach-agent $node($to) $sink($name)
    $ns connect $source $sink($name)
    incr stream
    set random [new RNG]
    for {set skipped 0} {$skipped < $stream} {incr skipped} { $random next-substream }
    if {$kind eq "constant"} {
        set traffic [new Application/Traffic/CBR]
        $traffic set rate_ [expr {8.0 * $bytes * $rate}]
    } else {
        # A burst of no length is one packet: Poisson arrivals.
        set traffic [new Application/Traffic/Exponential]
        $traffic set burst_time_ 0
        $traffic set idle_time_ [expr {1.0 / $rate}]
        $traffic set rate_ 1e12
        $traffic use-rng $random
    }
    $traffic set packetSize_ $bytes
    $traffic attach-agent $source
    $ns at [expr {$first + 0.0007 * $stream}] "$traffic start"
}

# Counts what the flows deliver from second 1 on into goodput.csv, ends the simulation behind option(seconds).
proc measure {directory} {
    global ns goodput option
    set goodput [open $directory/goodput.csv w]
    puts $goodput "flow,start_ns,window_ns,bytes"
    $ns at 1.0 "count 0"
    $ns at [expr {1.001 + $option(seconds)}] "finish"
}
proc count {bins} {
    global ns sink goodput bin option
    foreach name [lsort [array names sink]] {
        if {$bins > 0} {
            set start [expr {round(1e9 * (1 + ($bins - 1) * $bin))}]
            puts $goodput "$name,$start,[expr {round(1e9 * $bin)}],[$sink($name) set bytes_]"
        }
        $sink($name) set bytes_ 0
    }
    if {$bins < $option(seconds) / $bin} { $ns at [expr {1 + ($bins + 1) * $bin}] "count [expr {$bins + 1}]" }
}
proc finish {} {
    global ns trace goodput
    $ns flush-trace
    close $trace
    close $goodput
    exit 0
}
