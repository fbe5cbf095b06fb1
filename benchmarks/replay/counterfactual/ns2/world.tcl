# SPDX-License-Identifier: Apache-2.0
#
# One run of a world of the counterfactual study in ns-2:
#
#     ns world.tcl SHAPE FLOWS AGENT QUEUE_PACKETS RTS_THRESHOLD MAC_EVENTS SEED STOP_S DIRECTORY
#
# SHAPE: chainN, N hops of 200 m, or starN, N stations 50 m around node 0; nobody hears further than 250 m. 802.11b at
# 5.5 Mb/s. AGENT: Newreno or Vegas, greedy, flow k from 0.1 + 0.01 k seconds on. Written: DIRECTORY/recording/trace.tr,
# with MAC_EVENTS those of routers and MACs too, else of the agents alone.

lassign $argv shape flows agent queue threshold mac seed stop directory

Mac/802_11 set basicRate_ 1.0e6
Mac/802_11 set dataRate_ 5.5e6
Mac/802_11 set RTSThreshold_ $threshold
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 3.652e-10
Phy/WirelessPhy set CPThresh_ 10.0
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000

# Positions of the nodes, and the ends of the flows.
proc places {shape} {
    set number [string range $shape 4 end]
    if {[string match star* $shape]} {
        set places {{1000 1000}}
        for {set i 0} {$i < $number} {incr i} {
            set angle [expr {2 * 3.14159265358979 * $i / $number}]
            lappend places [list [expr {1000 + 50 * cos($angle)}] [expr {1000 + 50 * sin($angle)}]]
            lappend ends [list [expr {$i + 1}] 0]
        }
        return [list $places $ends]
    }
    set number [string range $shape 5 end]
    for {set i 0} {$i <= $number} {incr i} { lappend places [list [expr {200.0 * $i}] 50] }
    return [list $places [list [list 0 $number]]]
}

lassign [places $shape] places ends
ns-random $seed
set ns [new Simulator]
$ns trace-all [set trace [open $directory/recording/trace.tr w]]
set topography [new Topography]
$topography load_flatgrid 2000 2000
create-god [llength $places]
set level [expr {$mac ? "ON" : "OFF"}]
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen $queue \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace $level -macTrace $level -movementTrace OFF
set number 0
foreach place $places {
    set node($number) [$ns node]
    $node($number) random-motion 0
    foreach {name value} [list X_ [lindex $place 0] Y_ [lindex $place 1] Z_ 0] { $node($number) set $name $value }
    incr number
}
for {set flow 0} {$flow < $flows} {incr flow} {
    lassign [lindex $ends $flow] from to
    set tcp [new Agent/TCP/$agent]
    set sink [new Agent/TCPSink]
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {0.1 + 0.01 * $flow}] "$ftp start"
}
$ns at $stop {
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
