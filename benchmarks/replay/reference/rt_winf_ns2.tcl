# S000's scenes of section 3.3 in ns-2:  ns rt_winf_ns2.tcl TRACE NODES RTS SECONDS SEED FLOWS SEGMENT PAIR_BYTES UDP_KBPS
#
# Nodes 200 m apart in a line, 250 m of range; the first sends to the last. FLOWS greedy TCP flows of SEGMENT
# bytes, packet pairs of PAIR_BYTES every 250 ms (0: none), and datagrams of 1000 bytes at UDP_KBPS (0: none). RTS: 1 or 0.
# Writes the classic trace and prints the datagrams' goodput in kbit/s.
lassign $argv file count rts seconds seed flows segment pair_bytes udp_kbps

Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Mac/802_11 set dataRate_ 11e6
Mac/802_11 set basicRate_ 1e6
Mac/802_11 set PLCPDataRate_ 1e6
Mac/802_11 set RTSThreshold_ [expr {$rts ? 0 : 3000}]

ns-random $seed
set ns [new Simulator]
set trace [open $file w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 2000 100
create-god $count
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF
for {set number 0} {$number < $count} {incr number} {
    set node($number) [$ns node]
    $node($number) random-motion 0
    $node($number) set X_ [expr {100 + 200 * $number}]
    $node($number) set Y_ 50
    $node($number) set Z_ 0
}
set last [expr {$count - 1}]

proc datagrams {bytes} {
    global ns node last
    set udp [new Agent/UDP]
    $udp set packetSize_ $bytes
    set sink [new Agent/LossMonitor]
    $ns attach-agent $node(0) $udp
    $ns attach-agent $node($last) $sink
    $ns connect $udp $sink
    return [list $udp $sink]
}

for {set flow 0} {$flow < $flows} {incr flow} {
    set tcp [new Agent/TCP/Newreno]
    $tcp set packetSize_ $segment
    set sink [new Agent/TCPSink]
    $ns attach-agent $node(0) $tcp
    $ns attach-agent $node($last) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {0.5 + 0.1 * $flow}] "$ftp start"
}
if {$pair_bytes} {
    lassign [datagrams $pair_bytes] udp sink
    proc pair {udp bytes} {
        global ns
        $udp send $bytes
        $udp send $bytes
        $ns at [expr {[$ns now] + 0.25}] "pair $udp $bytes"
    }
    $ns at 1.013 "pair $udp $pair_bytes"
}
set goodput 0
if {$udp_kbps} {
    lassign [datagrams 1000] udp goodput
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ 1000
    $cbr set rate_ ${udp_kbps}kb
    $cbr set random_ 1
    $cbr attach-agent $udp
    $ns at 0.5 "$cbr start"
}
$ns at $seconds {
    if {$udp_kbps} { puts "goodput [expr {[$goodput set bytes_] * 8 / 1e3 / ($seconds - 0.5)}]" }
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
