# SPDX-License-Identifier: Apache-2.0
#
# A wired-cum-wireless ns-2 sample in either trace format:  ns ns2_wired.tcl classic|tagged FILE
#
# TCP from a wired host over a second one to a base station, which passes it to a mobile station by radio.
# Both formats come from the same run: they must read alike.

lassign $argv format file

ns-random 1
Mac/802_11 set basicRate_ 1.0e6
Mac/802_11 set dataRate_ 11.0e6
Mac/802_11 set RTSThreshold_ 300

set ns [new Simulator]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ {2 2}
if {$format eq "tagged"} { $ns use-newtrace }
set trace [open $file w]
$ns trace-all $trace

set topography [new Topography]
$topography load_flatgrid 500 500
create-god 2
set host [$ns node 0.0.0]
set router [$ns node 0.0.1]
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography -energyModel EnergyModel \
    -initialEnergy 10.0 -rxPower 0.3 -txPower 0.6 -idlePower 0.1 -wiredRouting ON \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace ON
set base [$ns node 1.0.0]
$ns node-config -wiredRouting OFF
set station [$ns node 1.0.1]
$station base-station [AddrParams addr2id [$base node-addr]]
foreach {node x} [list $base 10 $station 160] {
    $node random-motion 0
    $node set X_ $x
    $node set Y_ 50
    $node set Z_ 0
}
$ns duplex-link $host $router 5Mb 2ms DropTail
$ns duplex-link $router $base 5Mb 2ms DropTail
$ns queue-limit $host $router 3 ;# soon too short

set tcp [new Agent/TCP]
$tcp set packetSize_ 1000
$tcp set window_ 20
set sink [new Agent/TCPSink]
$ns attach-agent $host $tcp
$ns attach-agent $station $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.2 "$ftp start"
$ns at 0.21 "$station setdest 170 60 5"
$ns at 0.31 "finish"
proc finish {} {
    global ns trace
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
