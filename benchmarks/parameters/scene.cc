// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Stations around one node, all sending it UDP:  scene --out=PREFIX [--standard=g] [--stations=1] ...
//
// Records what the first station (PREFIX-sender.pcap) and the node (PREFIX-receiver.pcap) hear.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

struct Phy
{
    WifiStandard standard;
    const char* channel; // number, width, band, primary 20 MHz
    const char* dataMode;
    const char* controlMode;
};

const std::map<std::string, Phy> PHYS = {
    {"b", {WIFI_STANDARD_80211b, "{1, 22, BAND_2_4GHZ, 0}", "DsssRate11Mbps", "DsssRate1Mbps"}},
    {"g", {WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", "ErpOfdmRate54Mbps", "ErpOfdmRate6Mbps"}},
    {"a", {WIFI_STANDARD_80211a, "{36, 20, BAND_5GHZ, 0}", "OfdmRate54Mbps", "OfdmRate6Mbps"}},
    {"n", {WIFI_STANDARD_80211n, "{36, 20, BAND_5GHZ, 0}", "HtMcs7", "HtMcs0"}},
    {"n2", {WIFI_STANDARD_80211n, "{1, 20, BAND_2_4GHZ, 0}", "HtMcs7", "HtMcs0"}},
    {"ac", {WIFI_STANDARD_80211ac, "{42, 80, BAND_5GHZ, 0}", "VhtMcs7", "VhtMcs0"}},
};

struct Scene
{
    std::string out;
    std::string standard = "g";
    bool infrastructure = false;
    bool shortSlot = true;
    uint32_t stations = 1;
    double loadBps = 1e6; // of each station
    bool poisson = false; // random times between packets instead of a constant bit rate
    double seconds = 10;
    uint32_t slotUs = 0;  // 0: the standard's
    uint32_t aifsn = 0;   // 0: the standard's, as is CWmin
    uint32_t cwMin = 0;
    bool rts = false;
    uint32_t tos = 0;
    uint32_t seed = 1;
};

constexpr double START_S = 1;
constexpr uint32_t PAYLOAD_BYTES = 1472;
constexpr uint16_t PORT = 5000;

NetDeviceContainer
MakeDevices(const Scene& scene, NodeContainer nodes)
{
    const Phy& chosen = PHYS.at(scene.standard);
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel");
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    phy.Set("ChannelSettings", StringValue(chosen.channel));
    WifiHelper wifi;
    wifi.SetStandard(chosen.standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue(chosen.dataMode),
                                 "ControlMode", StringValue(chosen.controlMode),
                                 "RtsCtsThreshold", UintegerValue(scene.rts ? 0 : 65535));
    WifiMacHelper mac;
    NetDeviceContainer devices;
    if (!scene.infrastructure)
    {
        mac.SetType("ns3::AdhocWifiMac");
        devices = wifi.Install(phy, mac, nodes);
    }
    else
    {
        Ssid ssid("scene");
        mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
        devices = wifi.Install(phy, mac, nodes.Get(0));
        mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid));
        for (uint32_t i = 1; i < nodes.GetN(); i++)
        {
            devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
        }
    }
    phy.EnablePcap(scene.out + "-sender.pcap", devices.Get(1), false, true);
    phy.EnablePcap(scene.out + "-receiver.pcap", devices.Get(0), false, true);
    return devices;
}

/// Sets what a scene wants otherwise than the standard, once start-up and association are over.
void
Deviate(const Scene& scene, NetDeviceContainer devices)
{
    bool qos = scene.standard[0] == 'n' || scene.standard == "ac";
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        if (scene.slotUs > 0)
        {
            device->GetPhy()->SetSlot(MicroSeconds(scene.slotUs));
        }
        PointerValue pointer;
        device->GetMac()->GetAttribute(qos ? "BE_Txop" : "Txop", pointer);
        auto txop = pointer.Get<Txop>();
        if (txop && scene.aifsn > 0)
        {
            txop->SetAifsn(scene.aifsn);
        }
        if (txop && scene.cwMin > 0)
        {
            txop->SetMinCw(scene.cwMin);
        }
    }
}

void
Place(NodeContainer nodes)
{
    auto positions = CreateObject<ListPositionAllocator>();
    positions->Add(Vector(0, 0, 0));
    for (uint32_t i = 1; i < nodes.GetN(); i++)
    {
        double angle = 2 * M_PI * i / (nodes.GetN() - 1);
        positions->Add(Vector(3 * std::cos(angle), 3 * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

void
Send(const Scene& scene, NodeContainer nodes, Ipv4Address receiver)
{
    double perPacket = PAYLOAD_BYTES * 8 / scene.loadBps;
    auto seconds = [](double value) { return "ns3::ConstantRandomVariable[Constant=" + std::to_string(value) + "]"; };
    auto random = [](double mean) { return "ns3::ExponentialRandomVariable[Mean=" + std::to_string(mean) + "]"; };
    for (uint32_t i = 1; i < nodes.GetN(); i++)
    {
        uint16_t port = PORT + i;
        InetSocketAddress to(receiver, port);
        to.SetTos(scene.tos);
        OnOffHelper sender("ns3::UdpSocketFactory", to);
        sender.SetAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(scene.loadBps))));
        sender.SetAttribute("PacketSize", UintegerValue(PAYLOAD_BYTES));
        sender.SetAttribute("OnTime", StringValue(seconds(scene.poisson ? perPacket * 1.01 : 1000)));
        sender.SetAttribute("OffTime", StringValue(scene.poisson ? random(perPacket) : seconds(0)));
        auto application = sender.Install(nodes.Get(i));
        application.Start(Seconds(START_S + 0.0137 * i));
        application.Stop(Seconds(START_S + scene.seconds));
        PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sink.Install(nodes.Get(0));
    }
}

void
Simulate(const Scene& scene)
{
    RngSeedManager::SetSeed(scene.seed);
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(256));
    NodeContainer nodes(scene.stations + 1);
    NetDeviceContainer devices = MakeDevices(scene, nodes);
    Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Mac/$ns3::WifiMac/ShortSlotTimeSupported",
                BooleanValue(scene.shortSlot));
    Place(nodes);
    InternetStackHelper().Install(nodes);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    Send(scene, nodes, interfaces.GetAddress(0));
    Simulator::Schedule(MilliSeconds(500), [=] { Deviate(scene, devices); });
    Simulator::Stop(Seconds(START_S + scene.seconds));
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Scene scene;
    CommandLine line;
    line.AddValue("out", "where the recordings go, and how their names begin", scene.out);
    line.AddValue("standard", "b, g, a, n, n2 (at 2.4 GHz) or ac", scene.standard);
    line.AddValue("infrastructure", "an access point receives", scene.infrastructure);
    line.AddValue("short_slot", "stations support the short slot time", scene.shortSlot);
    line.AddValue("stations", "that send", scene.stations);
    line.AddValue("load_bps", "of each", scene.loadBps);
    line.AddValue("poisson", "random times between packets", scene.poisson);
    line.AddValue("seconds", "of load", scene.seconds);
    line.AddValue("slot_us", "in place of the standard's", scene.slotUs);
    line.AddValue("aifsn", "in place of the standard's", scene.aifsn);
    line.AddValue("cw_min", "in place of the standard's", scene.cwMin);
    line.AddValue("rts", "before every packet", scene.rts);
    line.AddValue("tos", "of the packets", scene.tos);
    line.AddValue("seed", "of all that is random", scene.seed);
    line.Parse(argc, argv);
    if (scene.out.empty() || PHYS.count(scene.standard) == 0 || scene.stations == 0)
    {
        std::cerr << "usage: scene --out=PREFIX [--standard=b|g|a|n|n2|ac] [--stations=N] [--load_bps=N] ...\n";
        return 2;
    }
    Simulate(scene);
    return 0;
}
