// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// TCP NewReno over 802.11b in ns-3:  new_reno_ns3 TOPOLOGY RTS SEED DURATION_S
//
// TOPOLOGY: `chain1` to `chain4`, so many hops with one flow along them, or `stack`, three rows of three nodes with
// a flow along each row. RTS: 0 or 1. Prints one line per flow: topology,rts,seed,flow,goodput_bps, where goodput is
// the payload handed to the application after the first WARM_UP_S seconds.
//
// Nodes stand 200 m apart, and nobody hears further than 250 m. Receivers are asked for 10 dB above
// the rest; ns-3 seems to judge 802.11b rates by itself, so that overlapping frames at 1 Mbit/s may survive.

#include "../ns3/capture_threshold.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double SPACING_M = 200;
constexpr double RANGE_M = 250;
constexpr double WARM_UP_S = 10;
/// ns-3.37 reads a null pointer when the receive window binds while segments are selectively acknowledged.
constexpr uint32_t RECEIVE_WINDOW_BYTES = 1 << 20;
constexpr uint16_t PORT = 5001;

/// Nodes by position, and the nodes of every flow's path.
struct Topology
{
    std::vector<Vector> positions;
    std::vector<std::vector<uint32_t>> paths;
    uint32_t segment;
    std::string queue;
};

Topology
Named(const std::string& name)
{
    Topology topology;
    if (name == "stack")
    {
        // S003: 512-byte packets, 64-packet buffers.
        topology.segment = 512;
        topology.queue = "64p";
        for (uint32_t row = 0; row < 3; row++)
        {
            for (uint32_t column = 0; column < 3; column++)
            {
                topology.positions.emplace_back(column * SPACING_M, row * SPACING_M, 0);
            }
            topology.paths.push_back({3 * row, 3 * row + 1, 3 * row + 2});
        }
        return topology;
    }
    uint32_t hops = name.back() - '0';
    NS_ABORT_MSG_IF(name.substr(0, 5) != "chain" || hops < 1 || hops > 9, "no topology " << name);
    topology.segment = 1000;
    topology.queue = "50p";
    topology.paths.emplace_back();
    for (uint32_t node = 0; node <= hops; node++)
    {
        topology.positions.emplace_back(node * SPACING_M, 0, 0);
        topology.paths[0].push_back(node);
    }
    return topology;
}

void
SetDefaults(const Topology& topology)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(topology.segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(topology.queue)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    // 802.11 and ns-2: seven attempts for RTS and short frames, four for long ones.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(7));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(4));
}

NetDeviceContainer
Radios(const NodeContainer& nodes, bool rts)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(RANGE_M));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetErrorRateModel("CaptureThreshold");
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate11Mbps"),
                                 "ControlMode",
                                 StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold",
                                 UintegerValue(rts ? 0 : 65535));
    return wifi.Install(phy, mac, nodes);
}

/// Every node of the path knows the way to both ends.
void
Route(const std::vector<uint32_t>& path, const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    Ipv4StaticRoutingHelper helper;
    for (size_t i = 0; i < path.size(); i++)
    {
        auto table = helper.GetStaticRouting(nodes.Get(path[i])->GetObject<Ipv4>());
        if (i + 1 < path.size())
        {
            table->AddHostRouteTo(addresses.GetAddress(path.back()), addresses.GetAddress(path[i + 1]), 1);
        }
        if (i > 0)
        {
            table->AddHostRouteTo(addresses.GetAddress(path.front()), addresses.GetAddress(path[i - 1]), 1);
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 5, "usage: new_reno_ns3 TOPOLOGY RTS SEED DURATION_S");
    const std::string name = argv[1];
    const bool rts = std::stoi(argv[2]) != 0;
    const uint32_t seed = std::stoul(argv[3]);
    const double duration = std::stod(argv[4]);
    const Topology topology = Named(name);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(seed);
    SetDefaults(topology);

    NodeContainer nodes(topology.positions.size());
    auto positions = CreateObject<ListPositionAllocator>();
    for (const auto& position : topology.positions)
    {
        positions->Add(position);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
    NetDeviceContainer devices = Radios(nodes, rts);
    InternetStackHelper().Install(nodes);
    Ipv4InterfaceContainer addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    // Packets wait in the MAC's queue only, and nobody asks for addresses.
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();

    std::vector<Ptr<PacketSink>> sinks;
    for (const auto& path : topology.paths)
    {
        Route(path, nodes, addresses);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(nodes.Get(path.back())).Get(0)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(addresses.GetAddress(path.back()), PORT));
        source.SetAttribute("SendSize", UintegerValue(topology.segment));
        source.Install(nodes.Get(path.front())).Start(Seconds(0.001));
    }

    std::vector<uint64_t> before;
    Simulator::Schedule(Seconds(WARM_UP_S), [&] {
        for (const auto& sink : sinks)
        {
            before.push_back(sink->GetTotalRx());
        }
    });
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    for (size_t flow = 0; flow < sinks.size(); flow++)
    {
        double bits = 8.0 * (sinks[flow]->GetTotalRx() - before[flow]);
        std::cout << name << ',' << rts << ',' << seed << ',' << flow + 1 << ','
                  << std::llround(bits / (duration - WARM_UP_S)) << '\n';
    }
    Simulator::Destroy();
    return 0;
}
