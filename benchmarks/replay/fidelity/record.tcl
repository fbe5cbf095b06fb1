# SPDX-License-Identifier: Apache-2.0
#
# One ns-2 recording for the fidelity study:  ns record.tcl HOPS SEED DURATION_S DIRECTORY
#
# TCP NewReno over so many hops of 200 m, 802.11b at 11 Mb/s with RTS/CTS; nobody hears further than 250 m. Written:
# DIRECTORY/recording/trace.tr (agent, router and MAC events) and DIRECTORY/truth.csv, what the source knows to be
# acknowledged: source,protocol,goodput_bps,median_rtt_ms, the last of which the trace tells better.

lassign $argv hops seed duration directory

Mac/802_11 set basicRate_ 1.0e6
Mac/802_11 set dataRate_ 11.0e6
Mac/802_11 set RTSThreshold_ 0
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 3.652e-10
Phy/WirelessPhy set CPThresh_ 10.0
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000

ns-random $seed
set ns [new Simulator]
$ns trace-all [set trace [open $directory/recording/trace.tr w]]
set topography [new Topography]
$topography load_flatgrid 2000 100
create-god [expr {$hops + 1}]
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF
for {set i 0} {$i <= $hops} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set X_ [expr {200.0 * $i}]
    $node($i) set Y_ 50
    $node($i) set Z_ 0
}
set tcp [new Agent/TCP/Newreno]
set sink [new Agent/TCPSink]
$ns attach-agent $node(0) $tcp
$ns attach-agent $node($hops) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
set start 0.1
$ns at $start "$ftp start"

$ns at $duration "finish"
proc finish {} {
    global ns trace tcp start duration directory
    $ns flush-trace
    close $trace
    set packets [expr {[$tcp set ack_] + 1}]
    set out [open $directory/truth.csv w]
    puts $out "source,protocol,goodput_bps,median_rtt_ms"
    puts $out "node-0,tcp,[expr {round(8.0 * 1000 * $packets / ($duration - $start))}],"
    close $out
    exit 0
}
$ns run
