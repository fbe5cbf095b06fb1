// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// The radios of a world, and who records.

#pragma once

#include "../../ns3/capture_threshold.h"
#include "options.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

constexpr double RANGE_M = 250;

namespace ns3
{

/// Loses data frames addressed to a station, each with the same chance.
class LossyReceiver : public ErrorModel
{
  public:
    LossyReceiver(Mac48Address receiver, double chance, uint32_t stream)
        : m_receiver(receiver),
          m_chance(chance),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(stream);
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        return header.IsData() && header.GetAddr1() == m_receiver && m_random->GetValue() < m_chance;
    }

    void DoReset() override
    {
    }

    Mac48Address m_receiver;
    double m_chance;
    Ptr<UniformRandomVariable> m_random;
};

inline std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
    {
        words.push_back(word);
    }
    return words;
}

inline WifiStandard
StandardOf(const std::string& phy)
{
    const std::map<std::string, WifiStandard> standards = {{"802.11a", WIFI_STANDARD_80211a},
                                                           {"802.11b", WIFI_STANDARD_80211b},
                                                           {"802.11g", WIFI_STANDARD_80211g},
                                                           {"802.11n", WIFI_STANDARD_80211n},
                                                           {"802.11ac", WIFI_STANDARD_80211ac},
                                                           {"802.11ax", WIFI_STANDARD_80211ax}};
    return standards.at(phy);
}

inline void
SetRates(WifiHelper& wifi, const Options& options, const std::vector<std::string>& modes, uint32_t node)
{
    UintegerValue threshold(options.rts ? 0 : 65535);
    if (options.modes == "minstrel")
    {
        wifi.SetRemoteStationManager("ns3::MinstrelWifiManager", "RtsCtsThreshold", threshold);
        return;
    }
    const std::string& mode = modes[std::min<size_t>(node, modes.size() - 1)];
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(mode),
                                 "ControlMode",
                                 StringValue(options.controlMode),
                                 "RtsCtsThreshold",
                                 threshold);
}

/// A device per node. With `record` sniffer the last node is the monitor, which sends nothing.
inline NetDeviceContainer
Radios(const Options& options, const NodeContainer& nodes)
{
    YansWifiChannelHelper channel;
    YansWifiPhyHelper phy;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    if (options.defaults)
    {
        channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel");
    }
    else
    {
        channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(RANGE_M));
        phy.SetErrorRateModel("CaptureThreshold");
    }
    phy.SetChannel(channel.Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    WifiMacHelper mac;
    const bool isHt = options.phy == "802.11n" || options.phy == "802.11ac" || options.phy == "802.11ax";
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", BooleanValue(isHt));
    if (isHt && options.phy != "802.11n")
    {
        // Channels of 20 MHz, on which the simulator is not the slower the faster the PHY may be.
        phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
    }
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options.phy));
    NetDeviceContainer devices;
    const auto modes = Split(options.modes);
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        SetRates(wifi, options, modes, i);
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
        if (options.record == "every_node" || (options.record == "sniffer" && i + 1 == nodes.GetN()))
        {
            std::string name = options.directory + "/recording/node-" + std::to_string(i) + ".pcap";
            phy.EnablePcap(name, devices.Get(i), false, true);
        }
        if (options.loss > 0)
        {
            auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
            auto address = Mac48Address::ConvertFrom(device->GetAddress());
            device->GetPhy()->SetPostReceptionErrorModel(Create<LossyReceiver>(address, options.loss, 3000 + i));
        }
    }
    return devices;
}

} // namespace ns3
