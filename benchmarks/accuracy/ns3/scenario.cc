// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One run of the accuracy study:  scenario --directory=DIRECTORY [--saturate] [--option=value ...]
//
// Node 0 sends to node 1: the link under study, with light traffic of its own. The other links carry
// the background. Writes DIRECTORY/recording.pcap (what node 0 heard and sent, or what the sniffer
// heard) or, with --saturate, fills the link on top of its light traffic and records nothing. Both
// write DIRECTORY/goodput.csv (octets delivered per 100 ms and flow), DIRECTORY/mac.json (what the
// sender's MAC was set to) and DIRECTORY/stations.json (addresses, links).
//
// Arrivals and MAC draw from random streams of their own, so the background offered is the same,
// packet by packet, in the run with --saturate and in the one without; TCP answers to what it meets.

#include "options.h"
#include "radio.h"
#include "traffic.h"

#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

/// The DS field that leads to an access category: its first three bits become the user priority.
uint8_t
DsFieldOf(const std::string& category)
{
    const std::map<std::string, uint8_t> services = {{"", 0}, {"BE", 0}, {"BK", 0x20}, {"VI", 0xa0}, {"VO", 0xc0}};
    return services.at(category);
}

std::vector<std::string>
Words(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
    {
        words.push_back(word);
    }
    return words;
}

/// The queue that the data of the link under study waits in.
Ptr<Txop>
AccessOf(Ptr<NetDevice> device, const Options& options)
{
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    const std::map<std::string, AcIndex> categories = {
        {"", AC_BE}, {"BE", AC_BE}, {"BK", AC_BK}, {"VI", AC_VI}, {"VO", AC_VO}};
    return mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(categories.at(options.category))) : mac->GetTxop();
}

void
WriteMac(const std::string& path, Ptr<NetDevice> device, const Options& options)
{
    auto phy = DynamicCast<WifiNetDevice>(device)->GetPhy();
    auto access = AccessOf(device, options);
    std::ofstream(path) << "{\"slot_us\": " << phy->GetSlot().GetMicroSeconds()
                        << ", \"sifs_us\": " << phy->GetSifs().GetMicroSeconds()
                        << ", \"aifsn\": " << +access->GetAifsn(0) << ", \"cw_min\": " << access->GetMinCw(0)
                        << ", \"cw_max\": " << access->GetMaxCw(0) << "}\n";
}

void
WriteStations(const std::string& path, NetDeviceContainer devices, const Options& options)
{
    std::ofstream file(path);
    file << "{\"addresses\": [";
    for (uint32_t node = 0; node < options.Stations(); node++)
    {
        file << (node ? ", " : "") << '"' << Mac48Address::ConvertFrom(devices.Get(node)->GetAddress()) << '"';
    }
    file << "], \"links\": [";
    const char* separator = "";
    for (auto [from, to] : LinksOf(options))
    {
        file << separator << '[' << from << ", " << to << ']';
        separator = ", ";
    }
    file << "]}\n";
}

/// The traffic of all links but the one under study.
void
StartBackground(const Options& options,
                NodeContainer nodes,
                const Ipv4InterfaceContainer& interfaces,
                Ptr<Sink> sink,
                std::vector<Ptr<Source>>& sources)
{
    auto links = LinksOf(options);
    auto categories = Words(options.backgroundCategories);
    for (uint32_t i = 1; i < links.size(); i++)
    {
        auto [from, to] = links[i];
        std::string arrivals = options.arrivals;
        if (arrivals == "mixed")
        {
            arrivals = std::vector<std::string>{"poisson", "bursty", "tcp"}[i % 3];
        }
        else if (arrivals == "tcp" && i > 1)
        {
            arrivals = "poisson";
        }
        if (arrivals == "tcp")
        {
            sink->Connect(nodes.Get(from), nodes.Get(to), interfaces.GetAddress(to), BACKGROUND_TCP, BACKGROUND_CONNECTS);
            continue;
        }
        auto category = categories.empty() ? std::string() : categories[(i - 1) % categories.size()];
        sources.push_back(CreateObject<Source>(nodes.Get(from),
                                               interfaces.GetAddress(to),
                                               BACKGROUND,
                                               options.backgroundPayload,
                                               DsFieldOf(category)));
        sources.back()->SendAt(options.background / (links.size() - 1), arrivals, ARRIVAL_STREAMS + i);
        sink->Listen(nodes.Get(to), BACKGROUND);
    }
}

void
Run(const Options& options)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(160));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4000000));
    if (!options.category.empty() || !options.backgroundCategories.empty())
    {
        Config::SetDefault("ns3::WifiMac::QosSupported", BooleanValue(true));
    }

    NodeContainer nodes(options.Stations() + (options.sniffer.empty() ? 0 : 1));
    Place(options, nodes);
    NetDeviceContainer devices = MakeDevices(options, nodes);
    NetDeviceContainer radios; // of the stations; a sniffer has no address and never sends
    for (uint32_t node = 0; node < options.Stations(); node++)
    {
        radios.Add(devices.Get(node));
    }
    InternetStackHelper().Install(nodes);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(radios);
    TrafficControlHelper().Uninstall(radios); // one queue, the MAC's
    NeighborCacheHelper().PopulateNeighborCache();

    auto sink = CreateObject<Sink>();
    std::vector<Ptr<Source>> sources;
    auto toReceiver = [&](uint16_t port) {
        sources.push_back(CreateObject<Source>(
            nodes.Get(0), interfaces.GetAddress(1), port, options.payload, DsFieldOf(options.category)));
        sink->Listen(nodes.Get(1), port);
        return sources.back();
    };
    toReceiver(LIGHT)->SendAt(options.light, "poisson", ARRIVAL_STREAMS);
    if (options.saturate && options.probe == "tcp")
    {
        sink->Connect(nodes.Get(0), nodes.Get(1), interfaces.GetAddress(1), SATURATING, FIRST_PACKET);
    }
    else if (options.saturate)
    {
        auto access = AccessOf(devices.Get(0), options);
        toReceiver(SATURATING)->KeepFilled(access->GetWifiMacQueue(), access->IsQosTxop() ? 300 : 50);
    }
    StartBackground(options, nodes, interfaces, sink, sources);

    if (!options.saturate)
    {
        YansWifiPhyHelper recorder;
        recorder.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
        auto radio = devices.Get(options.sniffer.empty() ? 0 : devices.GetN() - 1);
        recorder.EnablePcap(options.directory + "/recording.pcap", radio, false, true);
    }
    Simulator::Stop(Seconds(1 + options.seconds));
    Simulator::Run();
    sink->Write(options.directory + "/goodput.csv", options.seconds);
    WriteMac(options.directory + "/mac.json", devices.Get(0), options);
    WriteStations(options.directory + "/stations.json", devices, options);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("directory", "where the results go; must exist", options.directory);
    line.AddValue("standard", "802.11a, b, g, n, ac or ax", options.standard);
    line.AddValue("topology", "adhoc, bss or hidden", options.topology);
    line.AddValue("channel", "ns-3 channel settings", options.channel);
    line.AddValue("dataMode", "data rate of the link under study", options.dataMode);
    line.AddValue("backgroundMode", "data rate of the other links; default: the same", options.backgroundMode);
    line.AddValue("controlMode", "rate of RTS, CTS and group-addressed frames", options.controlMode);
    line.AddValue("rateControl", "Minstrel or MinstrelHt instead of constant rates", options.rateControl);
    line.AddValue("rts", "RTS before every data frame", options.rts);
    line.AddValue("saturate", "fill the link under study", options.saturate);
    line.AddValue("probe", "what fills it: udp or tcp", options.probe);
    line.AddValue("arrivals", "of the background: poisson, constant, bursty, tcp, mixed", options.arrivals);
    line.AddValue("direction", "of the link under study in a BSS: up or down", options.direction);
    line.AddValue("backgroundDirection", "of the others in a BSS: up, down or both", options.backgroundDirection);
    line.AddValue("category", "access category of the link under study", options.category);
    line.AddValue("backgroundCategories", "of the others, in turn, comma-separated", options.backgroundCategories);
    line.AddValue("sniffer", "a third party records: near, far or edge", options.sniffer);
    line.AddValue("snifferAttenuation", "dB on the way to the sniffer", options.snifferAttenuation);
    line.AddValue("attenuation", "dB on every other path", options.attenuation);
    line.AddValue("fading", "standard deviation per frame on every other path, dB", options.fading);
    line.AddValue("links", "number of links", options.links);
    line.AddValue("payload", "UDP payload, bytes", options.payload);
    line.AddValue("backgroundPayload", "UDP payload of the other links, bytes", options.backgroundPayload);
    line.AddValue("light", "packets per second on the link under study", options.light);
    line.AddValue("background", "packets per second on all other links together", options.background);
    line.AddValue("loss", "chance that a data frame of the link under study is lost", options.loss);
    line.AddValue("seconds", "measured time", options.seconds);
    line.AddValue("seed", "run number of the random generator", options.seed);
    line.Parse(argc, argv);
    if (options.directory.empty())
    {
        std::cerr << "--directory is missing\n";
        return 2;
    }
    if (options.backgroundMode.empty())
    {
        options.backgroundMode = options.dataMode;
    }
    Run(options);
    return 0;
}
