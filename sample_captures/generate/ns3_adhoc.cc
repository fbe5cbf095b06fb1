// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One ad hoc ns-3 sample:  ns3_adhoc SCENARIO DIRECTORY
//
// Nodes stand on a line; whoever is further away than 250 m is neither received nor sensed. Every
// node records its own radiotap pcap into DIRECTORY/recording.

#include "ns3_truth.h"

#include "ns3/mobility-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

namespace
{

struct Scenario
{
    std::string name;
    WifiStandard standard;
    std::string channel; // number, width, band, primary 20 MHz
    std::string dataMode;
    std::string controlMode;
    uint32_t rtsThreshold; // bytes
    std::vector<double> places; // metres
    double seconds;
    bool nanoseconds; // resolution of the pcap time stamps
    uint32_t captureBytes; // snap length; 0 keeps whole frames
    std::vector<Flow> flows;
    std::string phyJson;
};

constexpr uint32_t ALWAYS = 0;
constexpr uint32_t NEVER = 65535;
constexpr bool MICROSECONDS = false;
constexpr bool NANOSECONDS = true;
constexpr uint32_t HEADERS = 128;
constexpr uint32_t WHOLE = 0;

const std::string HR_DSSS = R"("standard": "802.11b", "slot_us": 20, "sifs_us": 10, "cw_min": 31, "cw_max": 1023, )"
                            R"("preamble": "long", "data_rate_mbps": 11, "control_rate_mbps": 1, "ack_rate_mbps": 1)";
const std::string ERP_OFDM = R"("standard": "802.11g", "slot_us": 20, "sifs_us": 10, "cw_min": 15, "cw_max": 1023, )"
                             R"("signal_extension_us": 6, "data_rate_mbps": 24, "control_rate_mbps": 6, )"
                             R"("ack_rate_mbps": 24)";
const std::string HT = R"("standard": "802.11n", "slot_us": 9, "sifs_us": 16, "cw_min": 15, "cw_max": 1023, "mcs": 7, )"
                       R"("bandwidth_mhz": 20, "guard_ns": 800, "data_rate_mbps": 65, "control_rate_mbps": 24)";
const std::string CHANNEL_1_DSSS = "{1, 22, BAND_2_4GHZ, 0}";
const std::string CHANNEL_1 = "{1, 20, BAND_2_4GHZ, 0}";
const std::string CHANNEL_36 = "{36, 20, BAND_5GHZ, 0}";

const std::vector<Flow> LINK_AND_CROSS_TRAFFIC = {
    {0, 1, 1472, 2000000, 0.1, 1.5, 5000},
    {2, 3, 1472, 1500000, 0.5, 1.1, 5001},
};

const std::vector<Scenario> SCENARIOS = {
    {"rts_link", WIFI_STANDARD_80211b, CHANNEL_1_DSSS, "DsssRate11Mbps", "DsssRate1Mbps", ALWAYS,
     {0, 50, 100, 150}, 1.6, MICROSECONDS, HEADERS, LINK_AND_CROSS_TRAFFIC, HR_DSSS},
    {"basic_link", WIFI_STANDARD_80211g, CHANNEL_1, "ErpOfdmRate24Mbps", "ErpOfdmRate6Mbps", NEVER,
     {0, 50, 100, 150}, 1.6, NANOSECONDS, HEADERS, LINK_AND_CROSS_TRAFFIC, ERP_OFDM},
    {"basic_link_b", WIFI_STANDARD_80211b, CHANNEL_1_DSSS, "DsssRate11Mbps", "DsssRate1Mbps", NEVER,
     {0, 50}, 0.4, NANOSECONDS, WHOLE, {{0, 1, 1472, 3000000, 0.1, 0.3, 5000}}, HR_DSSS},
    {"hidden", WIFI_STANDARD_80211b, CHANNEL_1_DSSS, "DsssRate11Mbps", "DsssRate1Mbps", ALWAYS,
     {0, 200, 400}, 1.2, MICROSECONDS, HEADERS,
     {{0, 1, 1472, 2500000, 0.1, 1.1, 5000}, {2, 1, 1472, 2500000, 0.2, 1.1, 5001}}, HR_DSSS},
    {"chain3", WIFI_STANDARD_80211b, CHANNEL_1_DSSS, "DsssRate11Mbps", "DsssRate1Mbps", ALWAYS,
     {0, 200, 400, 600}, 1.6, NANOSECONDS, HEADERS, {{0, 3, 1472, 800000, 0.1, 1.5, 5000}}, HR_DSSS},
    {"ht", WIFI_STANDARD_80211n, CHANNEL_36, "HtMcs7", "OfdmRate24Mbps", NEVER,
     {0, 10}, 0.4, NANOSECONDS, HEADERS,
     {{0, 1, 1472, 40000000, 0.1, 0.2, 5000}, {1, 0, 600, 1000000, 0.1, 0.3, 5001}}, HT},
};

/// Leaves one basic rate. Left alone, an ad hoc station makes every mandatory rate basic when it first
/// meets another, and then acknowledges at 11 Mb/s; so all stations are made acquainted beforehand.
void
LimitBasicRates(NetDeviceContainer devices, const std::string& basic, const std::string& other)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto stations = DynamicCast<WifiNetDevice>(devices.Get(i))->GetRemoteStationManager();
        stations->AddBasicMode(WifiMode(basic));
        for (uint32_t j = 0; j < devices.GetN(); j++)
        {
            Mac48Address peer = Mac48Address::ConvertFrom(devices.Get(j)->GetAddress());
            stations->AddSupportedMode(peer, WifiMode(basic));
            stations->AddSupportedMode(peer, WifiMode(other));
            stations->RecordDisassociated(peer);
        }
        stations->RecordDisassociated(Mac48Address::GetBroadcast());
    }
}

NetDeviceContainer
MakeDevices(const Scenario& scenario, NodeContainer nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", DoubleValue(2.412e9));
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(250));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    phy.Set("ChannelSettings", StringValue(scenario.channel));
    phy.Set("TxPowerStart", DoubleValue(20));
    phy.Set("TxPowerEnd", DoubleValue(20));

    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(scenario.standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue(scenario.dataMode),
                                 "ControlMode", StringValue(scenario.controlMode),
                                 "NonUnicastMode", StringValue(scenario.controlMode),
                                 "RtsCtsThreshold", UintegerValue(scenario.rtsThreshold));
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    if (scenario.standard == WIFI_STANDARD_80211b)
    {
        // Start-up clears what is set now.
        Simulator::Schedule(MilliSeconds(1), [=] {
            LimitBasicRates(devices, scenario.controlMode, scenario.dataMode);
        });
    }
    return devices;
}

void
Record(const std::string& directory, NetDeviceContainer devices)
{
    YansWifiPhyHelper phy;
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        phy.EnablePcap(directory + "/recording/node-" + std::to_string(i) + ".pcap", devices.Get(i), false, true);
    }
}

void
PlaceOnALine(const std::vector<double>& places, NodeContainer nodes)
{
    auto positions = CreateObject<ListPositionAllocator>();
    for (double x : places)
    {
        positions->Add(Vector(x, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

/// Every node reaches the nodes beyond its neighbour through that neighbour.
void
RouteAlongTheLine(NodeContainer nodes)
{
    Ipv4StaticRoutingHelper helper;
    auto address = [&](int i) { return nodes.Get(i)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal(); };
    int count = nodes.GetN();
    for (int here = 0; here < count; here++)
    {
        auto table = helper.GetStaticRouting(nodes.Get(here)->GetObject<Ipv4>());
        for (int there = 0; there < count; there++)
        {
            int next = there > here ? here + 1 : here - 1;
            if (std::abs(there - here) > 1)
            {
                table->AddHostRouteTo(address(there), address(next), 1);
            }
        }
    }
}

void
Simulate(const Scenario& scenario, const std::string& directory)
{
    RngSeedManager::SetSeed(1);
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); // of IP and UDP; the FCS stays zero
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(scenario.nanoseconds));
    if (scenario.captureBytes != WHOLE)
    {
        Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(scenario.captureBytes));
    }

    NodeContainer nodes(scenario.places.size());
    PlaceOnALine(scenario.places, nodes);
    NetDeviceContainer devices = MakeDevices(scenario, nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    if (scenario.name == "chain3")
    {
        RouteAlongTheLine(nodes);
    }

    Truth truth(scenario.phyJson + R"(, "rts_threshold_bytes": )" + std::to_string(scenario.rtsThreshold));
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        truth.Watch(devices.Get(i));
    }
    for (const Flow& flow : scenario.flows)
    {
        truth.Install(flow);
    }
    Record(directory, devices);

    Simulator::Stop(Seconds(scenario.seconds));
    Simulator::Run();
    truth.Write(directory, scenario.name, scenario.seconds);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    for (const Scenario& scenario : SCENARIOS)
    {
        if (argc == 3 && scenario.name == argv[1])
        {
            Simulate(scenario, argv[2]);
            return 0;
        }
    }
    std::cerr << "usage: ns3_adhoc SCENARIO DIRECTORY, SCENARIO one of";
    for (const Scenario& scenario : SCENARIOS)
    {
        std::cerr << ' ' << scenario.name;
    }
    std::cerr << '\n';
    return 2;
}
