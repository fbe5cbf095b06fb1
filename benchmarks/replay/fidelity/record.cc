// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One recording for the fidelity study:  record TOPOLOGY TRAFFIC RTS SEED DURATION_S DIRECTORY
//
// TOPOLOGY: `chain1` to `chain4`, so many hops with one flow along them, or `stack`, three rows of three nodes with
// a flow along each row. TRAFFIC: `tcp`, `udp` (a fixed rate below what the path carries), or `cross`: tcp, and two
// more stations within range of the first two, one of which sends UDP to the other from one to four fifths of the
// time. RTS: 0 or 1.
//
// Every node records its own radiotap pcap into DIRECTORY/recording. DIRECTORY/truth.csv says what the applications and
// the sockets know: flow,protocol,goodput_bps,median_rtt_ms. Goodput counts from the flow's start to the end.
//
// TCP is ns-3's NewReno with its defaults (initial window of 10 segments, SACK, every second segment acknowledged or
// after 200 ms, least timeout 1 s), but without time stamps, whose millisecond clock would replace the measured
// round-trip times. Nodes stand 200 m apart, and nobody hears further than 250 m.

#include "../ns3/capture_threshold.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double SPACING_M = 200;
constexpr double RANGE_M = 250;
constexpr double START_S = 0.1;
/// ns-3.37 reads a null pointer when the receive window binds while segments are selectively acknowledged.
constexpr uint32_t RECEIVE_WINDOW_BYTES = 1 << 20;
constexpr uint16_t PORT = 5001;
constexpr uint32_t SEGMENT_BYTES = 1000;

/// A flow over these nodes.
struct Flow
{
    std::vector<uint32_t> path;
    bool tcp;
    double rateBps;
    double startS;
    double stopS;
    Ptr<PacketSink> sink;
    std::vector<double> rttMs;
};

struct Scenario
{
    std::vector<Vector> positions;
    std::vector<Flow> flows;
};

Scenario
Named(const std::string& topology, const std::string& traffic, double duration)
{
    Scenario scenario;
    bool tcp = traffic != "udp";
    if (topology == "stack")
    {
        for (uint32_t row = 0; row < 3; row++)
        {
            for (uint32_t column = 0; column < 3; column++)
            {
                scenario.positions.emplace_back(column * SPACING_M, row * SPACING_M, 0);
            }
            scenario.flows.push_back({{3 * row, 3 * row + 1, 3 * row + 2}, tcp, 3e5, START_S, duration, nullptr, {}});
        }
        return scenario;
    }
    uint32_t hops = topology.back() - '0';
    NS_ABORT_MSG_IF(topology.substr(0, 5) != "chain" || hops < 1 || hops > 4, "no topology " << topology);
    std::vector<uint32_t> path;
    for (uint32_t node = 0; node <= hops; node++)
    {
        scenario.positions.emplace_back(node * SPACING_M, 0, 0);
        path.push_back(node);
    }
    scenario.flows.push_back({path, tcp, 1.5e6 / hops, START_S, duration, nullptr, {}});
    if (traffic == "cross")
    {
        uint32_t first = scenario.positions.size();
        scenario.positions.emplace_back(50, 50, 0);
        scenario.positions.emplace_back(150, 50, 0);
        scenario.flows.push_back({{first, first + 1}, false, 1.5e6, duration / 5, 4 * duration / 5, nullptr, {}});
    }
    return scenario;
}

void
SetDefaults()
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("50p")));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(140));
}

NetDeviceContainer
Radios(const NodeContainer& nodes, bool rts, const std::string& directory)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(RANGE_M));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetErrorRateModel("CaptureThreshold");
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
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
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        phy.EnablePcap(directory + "/recording/node-" + std::to_string(i) + ".pcap", devices.Get(i), false, true);
    }
    return devices;
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

void
Start(Flow& flow, const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    std::string factory = flow.tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    flow.sink = DynamicCast<PacketSink>(sink.Install(nodes.Get(flow.path.back())).Get(0));
    InetSocketAddress destination(addresses.GetAddress(flow.path.back()), PORT);
    if (flow.tcp)
    {
        BulkSendHelper source(factory, destination);
        source.SetAttribute("SendSize", UintegerValue(SEGMENT_BYTES));
        auto application = source.Install(nodes.Get(flow.path.front())).Get(0);
        application->SetStartTime(Seconds(flow.startS));
        // The socket is there once the application has started.
        Simulator::Schedule(Seconds(flow.startS) + NanoSeconds(1), [&flow, application] {
            auto socket = DynamicCast<BulkSendApplication>(application)->GetSocket();
            socket->TraceConnectWithoutContext("RTT", Callback<void, Time, Time>([&flow](Time, Time sample) {
                                                   flow.rttMs.push_back(sample.GetSeconds() * 1e3);
                                               }));
        });
        return;
    }
    OnOffHelper source(factory, destination);
    source.SetConstantRate(DataRate(static_cast<uint64_t>(flow.rateBps)), SEGMENT_BYTES);
    auto application = source.Install(nodes.Get(flow.path.front())).Get(0);
    application->SetStartTime(Seconds(flow.startS));
    application->SetStopTime(Seconds(flow.stopS));
}

double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? NAN : values[values.size() / 2];
}

} // namespace

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 7, "usage: record TOPOLOGY TRAFFIC RTS SEED DURATION_S DIRECTORY");
    const double duration = std::stod(argv[5]);
    const std::string directory = argv[6];
    Scenario scenario = Named(argv[1], argv[2], duration);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::stoul(argv[4]));
    SetDefaults();

    NodeContainer nodes(scenario.positions.size());
    auto positions = CreateObject<ListPositionAllocator>();
    for (const auto& position : scenario.positions)
    {
        positions->Add(position);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
    NetDeviceContainer devices = Radios(nodes, std::stoi(argv[3]) != 0, directory);
    InternetStackHelper().Install(nodes);
    Ipv4InterfaceContainer addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    // Packets wait in the MAC's queue only, and nobody asks for addresses.
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();
    for (Flow& flow : scenario.flows)
    {
        Route(flow.path, nodes, addresses);
        Start(flow, nodes, addresses);
    }
    Simulator::Stop(Seconds(duration));
    Simulator::Run();

    std::ofstream truth(directory + "/truth.csv");
    truth << "source,protocol,goodput_bps,median_rtt_ms\n";
    for (const Flow& flow : scenario.flows)
    {
        truth << addresses.GetAddress(flow.path.front()) << ',' << (flow.tcp ? "tcp" : "udp") << ','
              << std::llround(8.0 * flow.sink->GetTotalRx() / (flow.stopS - flow.startS)) << ',';
        if (flow.tcp)
        {
            truth << Median(flow.rttMs);
        }
        truth << '\n';
    }
    Simulator::Destroy();
    return 0;
}
