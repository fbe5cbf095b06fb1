# The windows of XCP-b (S004 eq. 5) for the one flow of a chain, in Tcl: ns-2 has no XCP-b. s004_ns2.tcl reads this file.
#
# Every node looks at its interface queue every 2 ms. At the end of a control interval d, the flow's smoothed round-trip
# time, it makes the aggregate feedback F of the persistent queue: the least one of the interval (SPAN "interval") or the
# present one ("shortest"). With one flow the packets of an interval carry F together, so that its acknowledgements make the window
# grow by F times d, of the node with the least F, which the source learns half a round-trip time later. Losses act as in
# NewReno; between them the window follows the nodes only.
#
# Queue/RED without any threshold is a drop-tail queue whose length can be read, in bytes; limited to 25 packets of 1300.

set queue_type Queue/RED
Queue/RED set thresh_ 1000
Queue/RED set maxthresh_ 2000
Queue/RED set queue_in_bytes_ true
Queue/RED set bytes_ true
Queue/RED set gentle_ false
Queue/RED set adaptive_ 0
Queue/RED set q_weight_ 1.0
Queue/RED set mean_pktsize_ 1300
Agent/TCP set increase_num_ 0

set alpha 0.4
set beta 0.226
set chi 0.228
set tau 0.178
set weight 0.25
# Qmax: 25 packets of 650 bytes.
set largest_bytes 16250.0
set packet_bytes 1300.0
set look_s 0.002
set first_interval_s 0.05

proc xcp_b {start} {
    global ns node acked ends
    set ends $start
    array set acked {then -1 most -1 now -1}
    foreach name [array names node] { begin $name }
    $ns at $start look
    $ns at $start grow
    foreach name [array names node] { $ns at $start "control $name" }
}

proc begin {name} {
    global node least smoothed previous told
    # RED takes over its thresholds here; nothing in a wireless node does it.
    [$node($name) set ifq_(0)] reset
    set least($name) -1
    set smoothed($name) 0.0
    set previous($name) 0.0
    set told($name) 0.0
}

proc waiting {name} {
    global node
    [$node($name) set ifq_(0)] set curq_
}

proc look {} {
    global ns node least look_s
    foreach name [array names node] {
        set bytes [waiting $name]
        if {$least($name) < 0 || $bytes < $least($name)} { set least($name) $bytes }
    }
    $ns at [expr {[$ns now] + $look_s}] look
}

proc interval {} {
    global flows first_interval_s
    set tcp [lindex $flows 0 0]
    set smoothed_s [expr {[$tcp set srtt_] / 8.0 * [$tcp set tcpTick_]}]
    expr {$smoothed_s > 0 ? $smoothed_s : $first_interval_s}
}

proc control {name} {
    global ns least smoothed previous alpha beta chi tau weight largest_bytes kappa_bytes span
    set d [interval]
    set bytes [expr {$span eq "interval" && $least($name) >= 0 ? $least($name) : [waiting $name]}]
    set least($name) [waiting $name]
    set smoothed($name) [expr {$smoothed($name) + $weight * ($bytes - $smoothed($name))}]
    set change [expr {$bytes - $previous($name)}]
    set previous($name) $bytes
    if {$smoothed($name) < $tau * $kappa_bytes} {
        set feedback [expr {$chi * $largest_bytes / $d}]
    } else {
        set feedback [expr {-$alpha * $change / $d - $beta * ($bytes - $kappa_bytes) / $d}]
    }
    $ns at [expr {[$ns now] + $d / 2}] "set told($name) $feedback"
    $ns at [expr {[$ns now] + $d}] "control $name"
}

# What the packets of an interval bring: F times d, in shares of as many as were acknowledged in the interval before.
proc grow {} {
    global ns flows told hops look_s packet_bytes acked shares ends
    set tcp [lindex $flows 0 0]
    set d [interval]
    if {[$ns now] >= $ends} {
        set ends [expr {[$ns now] + $d}]
        set shares [expr {[$tcp set ack_] > $acked(then) ? [$tcp set ack_] - $acked(then) : 1}]
        set acked(then) [$tcp set ack_]
        set acked(most) [expr {$acked(then) + $shares}]
    }
    set feedback $told(0)
    for {set i 1} {$i < $hops} {incr i} {
        if {$told($i) < $feedback} { set feedback $told($i) }
    }
    set upto [expr {[$tcp set ack_] < $acked(most) ? [$tcp set ack_] : $acked(most)}]
    set new [expr {$upto > $acked(now) ? $upto - $acked(now) : 0}]
    set acked(now) [$tcp set ack_]
    set window [expr {[$tcp set cwnd_] + $feedback * $d * $new / $shares / $packet_bytes}]
    $tcp set cwnd_ [expr {$window > 1 ? $window : 1}]
    $tcp set ssthresh_ 1
    $ns at [expr {[$ns now] + $look_s}] grow
}
