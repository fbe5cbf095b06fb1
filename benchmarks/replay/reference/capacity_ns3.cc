// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// S000's scenes of section 3.3 in ns-3:  capacity_ns3 NODES SEED SECONDS PAIR_BYTES UDP_KBPS PREFIX
//
// Nodes 200 m apart in a line, heard to 250 m, 802.11b at 11 Mbit/s with RTS/CTS, static routes; the first sends to the
// last: datagrams of 1000 bytes at UDP_KBPS from 0.5 s on, and packet pairs of PAIR_BYTES every 250 ms (0: none). Every
// node records the first 128 bytes of its frames into PREFIX-NODE-0.pcap. Prints the datagrams' goodput in kbit/s.

#include "../ns3/capture_threshold.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <string>

using namespace ns3;

namespace
{

constexpr double SPACING_M = 200;
constexpr double RANGE_M = 250;
constexpr double START_S = 0.5;
constexpr double FIRST_PAIR_S = 1.013;
constexpr double BETWEEN_PAIRS_S = 0.25;
constexpr uint32_t DATAGRAM_BYTES = 1000;
constexpr uint32_t SNAP_BYTES = 128;
constexpr uint16_t PORT = 5001;
constexpr uint16_t PAIR_PORT = 5002;

NetDeviceContainer
Radios(const NodeContainer& nodes, YansWifiPhyHelper& phy)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(RANGE_M));
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
                                 UintegerValue(0));
    return wifi.Install(phy, mac, nodes);
}

void
SendPair(Ptr<Socket> socket, uint32_t bytes)
{
    socket->Send(Create<Packet>(bytes));
    socket->Send(Create<Packet>(bytes));
    Simulator::Schedule(Seconds(BETWEEN_PAIRS_S), &SendPair, socket, bytes);
}

/// Every node knows the way to the last one.
void
Route(const NodeContainer& nodes, const Ipv4InterfaceContainer& addresses)
{
    Ipv4StaticRoutingHelper helper;
    uint32_t last = nodes.GetN() - 1;
    for (uint32_t node = 0; node < last; node++)
    {
        auto table = helper.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>());
        table->AddHostRouteTo(addresses.GetAddress(last), addresses.GetAddress(node + 1), 1);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 7, "usage: capacity_ns3 NODES SEED SECONDS PAIR_BYTES UDP_KBPS PREFIX");
    const uint32_t count = std::stoul(argv[1]);
    const double seconds = std::stod(argv[3]);
    const uint32_t pairBytes = std::stoul(argv[4]);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::stoul(argv[2]));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(SNAP_BYTES));

    NodeContainer nodes(count);
    auto positions = CreateObject<ListPositionAllocator>();
    for (uint32_t node = 0; node < count; node++)
    {
        positions->Add(Vector(node * SPACING_M, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
    YansWifiPhyHelper phy;
    NetDeviceContainer devices = Radios(nodes, phy);
    InternetStackHelper().Install(nodes);
    Ipv4InterfaceContainer addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();
    Route(nodes, addresses);
    phy.EnablePcap(argv[6], devices);

    Ipv4Address last = addresses.GetAddress(count - 1);
    PacketSinkHelper sinks("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    auto sink = DynamicCast<PacketSink>(sinks.Install(nodes.Get(count - 1)).Get(0));
    OnOffHelper datagrams("ns3::UdpSocketFactory", InetSocketAddress(last, PORT));
    datagrams.SetConstantRate(DataRate(std::string(argv[5]) + "kbps"), DATAGRAM_BYTES);
    datagrams.Install(nodes.Get(0)).Start(Seconds(START_S));
    if (pairBytes)
    {
        auto socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->Connect(InetSocketAddress(last, PAIR_PORT));
        Simulator::Schedule(Seconds(FIRST_PAIR_S), &SendPair, socket, pairBytes);
    }

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    std::cout << "goodput " << sink->GetTotalRx() * 8 / 1e3 / (seconds - START_S) << '\n';
    Simulator::Destroy();
    return 0;
}
