# S004's chains and mesh access network under TCP NewReno in ns-2 over DSDV:
#     ns s004_ns2.tcl SCENE HOPS SENSED_M ROUTES SEED SECONDS TRACE ?KAPPA_BYTES SPAN?
#
# With KAPPA_BYTES the source of a chain has the windows of XCP-b instead: xcp_b_ns2.tcl.
#
# SCENE is chain or mesh. 250 m are decoded; SENSED_M is 550 (ns-2's default) or 250. ROUTES is dsdv, or held: DSDV that
# forgets no route and sends nothing more once flows begin. They begin in second 300, when every route is known. Writes
# the wireless trace to TRACE, and prints each flow's destination, its samples of window (packets) and round-trip time
# (ms) with their time, and its packets at the end, repetitions left out.
lassign $argv scene hops sensed_m routes seed seconds target kappa_bytes span
set settled 300

# Two-ray ground with the default 24.5 dBm: what is left at 250 m and at 550 m.
set threshold(250) 3.652e-10
set threshold(550) 1.559e-11
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ $threshold(250)
Phy/WirelessPhy set CSThresh_ $threshold($sensed_m)
Phy/WirelessPhy set CPThresh_ 10.0
Mac/802_11 set RTSThreshold_ 3000
Agent/TCP set packetSize_ 1260
Agent/TCP set window_ 10000
Agent/TCP set minrto_ 0.2
Agent/TCP set maxrto_ 2.0
Agent/TCP set tcpTick_ 0.001

if {$routes eq "held"} { Agent/DSDV set min_update_periods_ 1000000 }

if {$scene eq "chain"} {
    set rate 11e6; set basic 1e6; set queue 25
} else {
    set rate 22e6; set basic 2e6; set queue 50
}
Mac/802_11 set dataRate_ $rate
Mac/802_11 set basicRate_ $basic
Mac/802_11 set PLCPDataRate_ 1e6

ns-random $seed
set ns [new Simulator]
set trace [open $target w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 3000 3000

proc place {name x y} {
    global node
    $node($name) random-motion 0
    $node($name) set X_ $x
    $node($name) set Y_ $y
    $node($name) set Z_ 0
}

proc greedy {from to start} {
    global ns node flows
    set tcp [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    lappend flows [list $tcp [$node($to) id] $start]
}

set queue_type Queue/DropTail/PriQueue
if {$kappa_bytes ne ""} { source [file join [file dirname [info script]] xcp_b_ns2.tcl] }

proc radio {} {
    global ns topography queue queue_type
    $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType $queue_type -ifqLen $queue \
        -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $topography \
        -agentTrace ON -routerTrace OFF -macTrace ON -movementTrace OFF
}

set flows {}
if {$scene eq "chain"} {
    create-god [expr {$hops + 1}]
    radio
    for {set i 0} {$i <= $hops} {incr i} {
        set node($i) [$ns node]
        place $i [expr {100 + 200 * $i}] 1500
    }
    greedy 0 $hops $settled
} else {
    # Domain 0 has the wires: a host a group, and the router before the base station; domain 1 has the radios.
    $ns node-config -addressType hierarchical
    AddrParams set domain_num_ 2
    AddrParams set cluster_num_ {10 1}
    AddrParams set nodes_num_ {1 1 1 1 1 1 1 1 1 1 28}
    create-god 28
    set node(R) [$ns node 0.9.0]
    set number 0
    foreach arm {T B R} {
        foreach group {1 2 3} {
            set node(N.$arm$group) [$ns node 0.$number.0]
            $ns duplex-link $node(N.$arm$group) $node(R) 100Mb 50ms DropTail
            $ns queue-limit $node(N.$arm$group) $node(R) 10000
            incr number
        }
    }
    radio
    $ns node-config -wiredRouting ON
    set node(BS) [$ns node 1.0.0]
    place BS 1500 1500
    $ns duplex-link $node(R) $node(BS) 1Gb 1ms DropTail
    $ns queue-limit $node(R) $node(BS) 10000
    $ns node-config -wiredRouting OFF
    set number 1
    # As the project's topology mesh_access: groups 200 m further each, stations of a group 30 m apart.
    foreach {arm x y} {T 0 1 B 0 -1 R 1 0} {
        foreach group {1 2 3} {
            foreach station {1 2 3} {
                set out [expr {200 * ($hops > 1 ? $group : 1)}]
                set aside [expr {30 * ($station - 2 + ($hops > 1 ? 0 : 3 * ($group - 2)))}]
                set name $arm$group.$station
                set node($name) [$ns node 1.0.$number]
                $node($name) base-station [AddrParams addr2id [$node(BS) node-addr]]
                place $name [expr {1500 + $x * $out - $y * $aside}] [expr {1500 + $y * $out + $x * $aside}]
                greedy N.$arm$group $name [expr {$settled + 20 * ($group - 1)}]
                incr number
            }
        }
    }
}

proc hold {} {
    global node
    foreach name [array names node] {
        if {![catch {$node($name) set ragent_} routing]} { $routing set perup_ 1000000 }
    }
}
if {$routes eq "held"} { $ns at [expr {$settled - 60}] hold }

proc sample {} {
    global ns flows
    set now [$ns now]
    foreach flow $flows {
        lassign $flow tcp to start
        if {$now >= $start} { puts "sample $to $now [$tcp set cwnd_] [$tcp set rtt_]" }
    }
    $ns at [expr {$now + 0.1}] sample
}
$ns at [expr {$settled + 0.05}] sample
if {$kappa_bytes ne ""} { xcp_b $settled }
$ns at [expr {$settled + $seconds}] {
    foreach flow $flows {
        lassign $flow tcp to start
        puts "flow $to [expr {[$tcp set ndatapack_] - [$tcp set nrexmitpack_]}]"
    }
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
