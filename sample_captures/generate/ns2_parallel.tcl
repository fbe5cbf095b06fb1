# SPDX-License-Identifier: Apache-2.0
#
# Parallel links on one channel, and what a probe on the first of them gets:
#
#   ns ns2_parallel.tcl TRACE KEY=VALUE...
#
# Keys: phy (b, g), links, load (CBR bit/s per link), own (CBR bit/s of the first link), bytes (IP packet), rts (0: never,
# 1: always), layout (near: all hear all; hidden: the senders of links 2, 3 ... do not hear that of link 1, receivers
# are between them), probe (none, udp, tcp), agent (1: AGT and RTR lines), mac (1: MAC lines), tagged (1: tagged
# format), end (s), seed.
#
# TRACE receives the trace. Standard output receives "GOODPUT link payload_bytes" for each link from 0.5 s to the end:
# octets of IP packets received, of a TCP probe octets of its payload.

array set option {phy b links 2 load 1.0e6 own 0.2e6 bytes 1500 rts 0 layout near probe none agent 0 mac 1 tagged 0
    end 3.0 seed 1}
set path [lindex $argv 0]
foreach pair [lrange $argv 1 end] { lassign [split $pair =] key value; set option($key) $value }
foreach {key value} [array get option] { set $key $value }

Mac/802_11 set SIFS_ 0.000010
Mac/802_11 set CWMax_ 1023
if {$phy eq "b"} {
    Mac/802_11 set SlotTime_ 0.000020
    Mac/802_11 set CWMin_ 31
    Mac/802_11 set PreambleLength_ 144
    Mac/802_11 set PLCPHeaderLength_ 48
    Mac/802_11 set PLCPDataRate_ 1.0e6
    Mac/802_11 set basicRate_ 1.0e6
    Mac/802_11 set dataRate_ 11.0e6
} else {
    Mac/802_11 set SlotTime_ 0.000009
    Mac/802_11 set CWMin_ 15
    Mac/802_11 set PreambleLength_ 96
    Mac/802_11 set PLCPHeaderLength_ 24
    Mac/802_11 set PLCPDataRate_ 6.0e6
    Mac/802_11 set basicRate_ 6.0e6
    Mac/802_11 set dataRate_ 54.0e6
}
Mac/802_11 set RTSThreshold_ [expr {$rts ? 0 : 3000}]
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 3.652e-10
Phy/WirelessPhy set CPThresh_ 10.0

ns-random $seed
set ns [new Simulator]
set trace [open $path w]
if {$tagged} { $ns use-newtrace }
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 1000 100
create-god [expr {2 * $links}]
$ns node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace [expr {$agent ? "ON" : "OFF"}] -routerTrace [expr {$agent ? "ON" : "OFF"}] \
    -macTrace [expr {$mac ? "ON" : "OFF"}] -movementTrace OFF

proc station {x y} {
    global ns
    set node [$ns node]
    $node random-motion 0
    $node set X_ $x
    $node set Y_ $y
    $node set Z_ 0
    return $node
}

set received {}
for {set i 0} {$i < $links} {incr i} {
    if {$layout eq "near"} {
        set places [list 10 60]
    } else {
        set places [expr {$i == 0 ? {100 290} : {480 300}}]
    }
    lassign $places x1 x2
    set from [station $x1 [expr {1 + 5 * $i}]]
    set to [station $x2 [expr {1 + 5 * $i}]]
    set source [new Agent/UDP]
    $source set packetSize_ $bytes
    set sink [new Agent/LossMonitor]
    $ns attach-agent $from $source
    $ns attach-agent $to $sink
    $ns connect $source $sink
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $bytes
    $cbr set rate_ [expr {$i == 0 ? $own : $load}]
    $cbr set random_ 1
    $cbr attach-agent $source
    if {[$cbr set rate_] > 0} { $ns at [expr {0.1 + 0.001 * $i}] "$cbr start" }
    lappend received $sink
    if {$i == 0} { set first [list $from $to] }
}
lassign $first from to
set counted "LossMonitor"
if {$probe eq "udp"} {
    set source [new Agent/UDP]
    $source set packetSize_ $bytes
    set measured [new Agent/LossMonitor]
    $ns attach-agent $from $source
    $ns attach-agent $to $measured
    $ns connect $source $measured
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $bytes
    $cbr set rate_ 60e6
    $cbr attach-agent $source
    $ns at 0.1 "$cbr start"
} elseif {$probe eq "tcp"} {
    # ns-2 adds 40 octets of headers to packetSize_.
    set source [new Agent/TCP/Newreno]
    $source set packetSize_ 1460
    $source set window_ 40
    set measured [new Agent/TCPSink/DelAck]
    $ns attach-agent $from $source
    $ns attach-agent $to $measured
    $ns connect $source $measured
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    $ns at 0.1 "$ftp start"
}

proc bytes_so_far {} {
    global received measured probe source
    set all {}
    foreach sink $received { lappend all [$sink set bytes_] }
    if {$probe eq "udp"} { lappend all [$measured set bytes_] }
    if {$probe eq "tcp"} { lappend all [expr {1460 * [$source set ack_]}] }
    return $all
}
$ns at 0.5 { set before [bytes_so_far] }
$ns at $end {
    set number 0
    foreach a $before b [bytes_so_far] {
        puts "GOODPUT $number [expr {int($b - $a)}]"
        incr number
    }
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
