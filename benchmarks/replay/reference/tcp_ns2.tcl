# SPDX-License-Identifier: Apache-2.0
#
# ns-2's own TCP agents on a wired dumbbell, as comma-separated values, a line per flow:
#
#     ns tcp_ns2.tcl AGENT BOTTLENECK_MBPS BOTTLENECK_MS ACCESS_MS[,ACCESS_MS..] QUEUE_PACKETS SPACING_S STOP_S
#
# AGENT: Newreno, Sack1 or Vegas. One greedy flow per access delay; flow k starts at k * SPACING_S. Packets carry 1000
# bytes and 40 bytes of headers; accesses have 100 Mbit/s. Prints agent, number of the flow, packets acknowledged,
# retransmission timeouts, packets sent again, and of the bottleneck the mean number of packets that wait and the number
# dropped. Nothing is random.

lassign $argv agent rate_mbps delay_ms access limit spacing_s stop_s
set access [split $access ,]

set ns [new Simulator]
Agent/TCP set window_ 10000
Agent/TCP set packetSize_ 1000
Agent/TCP set minrto_ 1.0

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${rate_mbps}Mb ${delay_ms}ms DropTail
foreach {from to} [list $left $right $right $left] { $ns queue-limit $from $to $limit }
set monitor [$ns monitor-queue $left $right ""]

set flows {}
foreach ms $access {
    set source [$ns node]
    set target [$ns node]
    foreach {from to delay} [list $source $left $ms $right $target 1] {
        $ns duplex-link $from $to 100Mb ${delay}ms DropTail
        $ns queue-limit $from $to $limit
        $ns queue-limit $to $from $limit
    }
    set tcp [new Agent/TCP/$agent]
    set sink [expr {$agent eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
    $ns attach-agent $source $tcp
    $ns attach-agent $target $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {[llength $flows] * $spacing_s}] "$ftp start"
    lappend flows $tcp
}

set waiting 0.0
set samples 0
proc sample {} {
    global ns monitor waiting samples
    set waiting [expr {$waiting + [$monitor set pkts_]}]
    incr samples
    $ns at [expr {[$ns now] + 0.001}] sample
}

proc report {} {
    global flows monitor agent waiting samples
    set number 0
    foreach tcp $flows {
        set again [$tcp set nrexmitpack_]
        set mean [format %.2f [expr {$waiting / $samples}]]
        puts [join [list $agent $number [expr {[$tcp set ack_] + 1}] [$tcp set nrexmit_] $again $mean [$monitor set pdrops_]] ,]
        incr number
    }
    exit 0
}

$ns at 0.0005 sample
$ns at $stop_s report
$ns run
