// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One TCP transfer over two hops, recorded twice:  ns3_tcp SCENARIO DIRECTORY
//
// `tcp`: what the sender's radio captures (recording/node-0.pcap). Queues are short, so segments are lost and
// sent again. Beside it what TCP itself knows:
//   truth_segments.csv  every data segment that TCP sent: t_ns, seq, payload_bytes
//   truth_rtt.csv       every change of TCP's round-trip time sample: t_ns, rtt_ns
// `trace`: a shorter transfer as an ASCII trace (recording/tcp.tr), and the pcaps of the same run beside it
// (captures/node-N.pcap).

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <fstream>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 5001;
constexpr double START_S = 0.1;

std::ofstream g_segments;
std::ofstream g_rtt;

void
OnSegment(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() > 0)
    {
        g_segments << Simulator::Now().GetNanoSeconds() << ',' << header.GetSequenceNumber() << ','
                   << packet->GetSize() << '\n';
    }
}

void
OnRtt(Time, Time sample)
{
    g_rtt << Simulator::Now().GetNanoSeconds() << ',' << sample.GetNanoSeconds() << '\n';
}

void
Watch(Ptr<BulkSendApplication> application)
{
    application->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&OnSegment));
    application->GetSocket()->TraceConnectWithoutContext("RTT", MakeCallback(&OnRtt));
}

NodeContainer
PlaceOnALine(int count)
{
    NodeContainer nodes(count);
    auto positions = CreateObject<ListPositionAllocator>();
    for (int i = 0; i < count; i++)
    {
        positions->Add(Vector(200.0 * i, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);
    return nodes;
}

void
RouteThrough(Ptr<Node> from, Ipv4Address to, Ipv4Address next)
{
    Ipv4StaticRoutingHelper().GetStaticRouting(from->GetObject<Ipv4>())->AddHostRouteTo(to, next, 1);
}

void
Simulate(bool isTrace, const std::string& directory)
{
    RngSeedManager::SetSeed(1);
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    // Its millisecond clock would replace the measured round-trip times.
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(128));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("4p")));

    NodeContainer nodes = PlaceOnALine(3);
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", DoubleValue(2.412e9));
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(250));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("DsssRate11Mbps"),
                                 "ControlMode", StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold", UintegerValue(500));
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);

    InternetStackHelper().Install(nodes);
    TrafficControlHelper queue;
    queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("4p"));
    queue.Install(devices.Get(1));
    Ipv4InterfaceContainer addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    RouteThrough(nodes.Get(0), addresses.GetAddress(2), addresses.GetAddress(1));
    RouteThrough(nodes.Get(2), addresses.GetAddress(0), addresses.GetAddress(1));

    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    sink.Install(nodes.Get(2));
    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(addresses.GetAddress(2), PORT));
    source.SetAttribute("MaxBytes", UintegerValue(isTrace ? 5000 : 80000));
    ApplicationContainer sender = source.Install(nodes.Get(0));
    sender.Start(Seconds(START_S));

    AsciiTraceHelper ascii;
    if (isTrace)
    {
        auto stream = ascii.CreateFileStream(directory + "/recording/tcp.tr");
        stream->GetStream()->precision(12);
        phy.EnableAscii(stream, devices);
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            phy.EnablePcap(directory + "/captures/node-" + std::to_string(i) + ".pcap", devices.Get(i), false, true);
        }
    }
    else
    {
        g_segments.open(directory + "/truth_segments.csv");
        g_segments << "t_ns,seq,payload_bytes\n";
        g_rtt.open(directory + "/truth_rtt.csv");
        g_rtt << "t_ns,rtt_ns\n";
        // The socket is there once the application has started.
        Simulator::Schedule(Seconds(START_S) + NanoSeconds(1),
                            &Watch,
                            DynamicCast<BulkSendApplication>(sender.Get(0)));
        phy.EnablePcap(directory + "/recording/node-0.pcap", devices.Get(0), false, true);
    }

    Simulator::Stop(Seconds(isTrace ? 0.5 : 3.0));
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string scenario = argc == 3 ? argv[1] : "";
    if (scenario != "tcp" && scenario != "trace")
    {
        std::cerr << "usage: ns3_tcp tcp|trace DIRECTORY\n";
        return 2;
    }
    Simulate(scenario == "trace", argv[2]);
    return 0;
}
