// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One run of a world of the counterfactual study; options.h has the options.
//
// Writes DIRECTORY/truth.csv, what sockets and sinks know of each flow, and if asked DIRECTORY/recording with the
// radiotap captures.
//
// TCP has ns-3's defaults (initial window of 10 segments, SACK, every second segment acknowledged or after 200 ms, least
// timeout 1 s), but no time stamps, whose millisecond clock would replace the measured round-trip times.

#include "flows.h"
#include "options.h"
#include "radios.h"
#include "shapes.h"

#include "../../ns3/mended_bbr.h"

#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <fstream>

using namespace ns3;

namespace
{

/// ns-3.37 reads a null pointer when the receive window binds while segments are selectively acknowledged.
constexpr uint32_t RECEIVE_WINDOW_BYTES = 1 << 24;
/// With ns-3's propagation loss nodes stand a tenth as far apart.
constexpr double DEFAULTS_SCALE = 0.1;
constexpr double CROSS_BPS = 1.5e6;
/// Of the first application that pauses; each further one pauses for half of it longer.
constexpr double PAUSE_S = 0.5;

void
SetDefaults(const Options& options)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + options.controller)));
    Config::SetDefault("ns3::TcpWestwood::ProtocolType", EnumValue(TcpWestwood::WESTWOODPLUS));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(RECEIVE_WINDOW_BYTES));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(options.segmentsPerAck));
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(160));
    if (options.defaults)
    {
        return;
    }
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(std::to_string(options.queuePackets) + "p")));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
}

/// Nodes of the cross traffic, and of the monitor, behind those of the shape.
void
Place(const Options& options, const Shape& shape, const NodeContainer& nodes)
{
    auto positions = CreateObject<ListPositionAllocator>();
    const double scale = options.defaults ? DEFAULTS_SCALE : 1;
    auto add = [&](Vector place) { positions->Add(Vector(scale * place.x, scale * place.y, 0)); };
    std::for_each(shape.positions.begin(), shape.positions.end(), add);
    if (options.cross)
    {
        add(Vector(50, 50, 0));
        add(Vector(150, 50, 0));
    }
    if (options.record == "sniffer")
    {
        add(shape.middle);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
}

std::vector<Flow>
Flows(const Options& options, const Shape& shape)
{
    std::vector<Flow> flows;
    NS_ABORT_MSG_IF(options.flows > shape.paths.size(), "the shape has fewer paths than flows");
    const auto segments = Split(options.segmentBytes);
    for (uint32_t i = 0; i + options.without < options.flows; i++)
    {
        Flow flow;
        flow.path = shape.paths[i];
        flow.startS = START_S + 0.01 * i + (i + 1 == options.flows ? options.laterS : 0);
        flow.bytes = std::stoul(segments[std::min<size_t>(i, segments.size() - 1)]);
        flow.port = PORT + i;
        flow.pauses = i < options.pausing;
        flow.pauseS = PAUSE_S * (1 + 0.5 * i);
        flows.push_back(flow);
    }
    if (options.udpKbps > 0)
    {
        Flow flow;
        flow.path = shape.paths.front();
        flow.tcp = false;
        flow.rateBps = 1e3 * options.udpKbps;
        flow.bytes = options.udpBytes;
        flow.port = PORT + 100;
        flows.push_back(flow);
    }
    if (options.cross)
    {
        Flow flow;
        uint32_t first = shape.positions.size();
        flow.path = {first, first + 1};
        flow.tcp = false;
        flow.rateBps = CROSS_BPS;
        flow.startS = options.seconds / 5;
        flow.port = PORT + 101;
        flows.push_back(flow);
    }
    for (Flow& flow : flows)
    {
        bool cross = options.cross && flow.port == PORT + 101;
        flow.stopS = cross ? 4 * options.seconds / 5 : options.seconds;
    }
    return flows;
}

/// Every node of the path knows the way to both ends.
void
Route(const Flow& flow, const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    Ipv4StaticRoutingHelper helper;
    for (size_t i = 0; i < flow.path.size(); i++)
    {
        auto ipv4 = nodes.Get(flow.path[i])->GetObject<Ipv4>();
        auto table = helper.GetStaticRouting(ipv4);
        uint32_t radio = addresses.Get(flow.path[i]).second;
        if (i + 1 < flow.path.size())
        {
            table->AddHostRouteTo(flow.to, addresses.GetAddress(flow.path[i + 1]), radio);
        }
        if (i > 0)
        {
            table->AddHostRouteTo(flow.from, addresses.GetAddress(flow.path[i - 1]), radio);
        }
    }
}

/// A host at the other end of a wire to the first node of the first flow, which becomes its source.
void
Wire(const Options& options, Flow& flow, const NodeContainer& nodes)
{
    NodeContainer ends(CreateObject<Node>(), nodes.Get(flow.path.front()));
    InternetStackHelper().Install(ends.Get(0));
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    wire.SetChannelAttribute("Delay", TimeValue(MilliSeconds(options.wireMs)));
    auto devices = wire.Install(ends);
    auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    flow.source = ends.Get(0);
    flow.from = addresses.GetAddress(0);
    Ipv4StaticRoutingHelper().GetStaticRouting(ends.Get(0)->GetObject<Ipv4>())->SetDefaultRoute(addresses.GetAddress(1), 1);
}

} // namespace

int
main(int argc, char* argv[])
{
    const Options options(argc, argv);
    const Shape shape = Named(options.shape, options.spacingM);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    SetDefaults(options);

    const bool monitored = options.record == "sniffer";
    NodeContainer nodes(shape.positions.size() + (options.cross ? 2 : 0) + (monitored ? 1 : 0));
    Place(options, shape, nodes);
    NetDeviceContainer devices = Radios(options, nodes);
    // The monitor has an address too, which nobody uses: ns-3 fills the caches of all nodes of a channel.
    InternetStackHelper().Install(nodes);
    Ipv4InterfaceContainer addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    if (!options.defaults)
    {
        // Packets wait in the MAC's queue only.
        TrafficControlHelper().Uninstall(devices);
    }
    auto flows = Flows(options, shape);
    for (Flow& flow : flows)
    {
        flow.source = nodes.Get(flow.path.front());
        flow.from = addresses.GetAddress(flow.path.front());
        flow.to = addresses.GetAddress(flow.path.back());
    }
    if (options.wireMs > 0)
    {
        Wire(options, flows.front(), nodes);
    }
    // Nobody asks for addresses.
    NeighborCacheHelper().PopulateNeighborCache();
    for (Flow& flow : flows)
    {
        Route(flow, nodes, addresses);
        Start(flow, nodes.Get(flow.path.back()));
    }
    Simulator::Stop(Seconds(options.seconds));
    Simulator::Run();
    std::ofstream truth(options.directory + "/truth.csv");
    Write(truth, flows);
    Simulator::Destroy();
    return 0;
}
