// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One run of the study of findings:  findings --directory=DIRECTORY [--saturate] [--option=value ...]
//
// Node 0 sends to node 1, the link under study, with light traffic of its own; other links carry the
// background, as in the accuracy study. Causes of trouble are options: access points that only send
// beacons, another network on the channel, loss, slow or far stations, outages, short queues, RTS, no
// aggregation, a station that roams or walks away, a nearer access point of the same network, bulk traffic in an
// access category for voice, a wire that loses packets, EDCA parameters other than announced, and those of
// events.h. Writes
// DIRECTORY/recording.pcap (what node 0 or the sniffer heard and sent) or, with --saturate, fills the link
// and records nothing. Both write DIRECTORY/goodput.csv and DIRECTORY/stations.json.

#include "../../accuracy/ns3/options.h"
#include "../../accuracy/ns3/radio.h"
#include "../../accuracy/ns3/traffic.h"
#include "causes.h"
#include "cells.h"
#include "events.h"
#include "greedy.h"
#include "paths.h"
#include "wires.h"

#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint16_t MARKED_TCP = 5004;

/// The DS field that leads to an access category: its first three bits become the user priority.
uint8_t
DsFieldOf(const std::string& category)
{
    const std::map<std::string, uint8_t> services = {{"", 0}, {"BE", 0}, {"BK", 0x20}, {"VI", 0xa0}, {"VO", 0xc0}};
    return services.at(category);
}

/// TCP flows that are never short of data: the first of one access category, the others of another.
void
ConnectMarked(const Causes& causes, const Options& options, NodeContainer nodes, Ipv4InterfaceContainer interfaces)
{
    auto links = LinksOf(options);
    for (uint32_t i = 1; i < links.size(); i++)
    {
        auto [from, to] = links[i];
        InetSocketAddress peer(interfaces.GetAddress(to), MARKED_TCP + i);
        peer.SetTos(DsFieldOf(i == 1 ? causes.urgent : causes.patient));
        PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), MARKED_TCP + i))
            .Install(nodes.Get(to));
        BulkSendHelper sender("ns3::TcpSocketFactory", peer);
        sender.SetAttribute("SendSize", UintegerValue(1448));
        sender.Install(nodes.Get(from)).Start(Seconds(FIRST_PACKET));
    }
}

void
WriteStations(const std::string& path, NetDeviceContainer devices)
{
    std::ofstream file(path);
    file << "{\"addresses\": [";
    for (uint32_t node = 0; node < devices.GetN(); node++)
    {
        file << (node ? ", " : "") << '"' << Mac48Address::ConvertFrom(devices.Get(node)->GetAddress()) << '"';
    }
    file << "]}\n";
}

void
Run(const Options& options, const Causes& causes)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(160));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4000000));
    if (causes.outage > 0)
    {
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200))); // as Linux has it
    }
    if (causes.queue > 0)
    {
        Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, causes.queue)));
    }
    if (causes.leaving > 0)
    {
        // Radios detect preambles of frames that they can receive at the lowest rates, with 4 dB above the noise.
        Config::SetDefault("ns3::ThresholdPreambleDetectionModel::MinimumRssi", DoubleValue(-95));
    }
    if (!causes.aggregation)
    {
        Config::SetDefault("ns3::WifiMac::BE_MaxAmpduSize", UintegerValue(0));
    }

    if (causes.wmm)
    {
        Config::SetDefault("ns3::WifiMac::QosSupported", BooleanValue(true));
    }

    NodeContainer nodes(options.Stations() + (options.sniffer.empty() ? 0 : 1));
    Place(options, nodes);
    NetDeviceContainer devices = MakeDevices(options, nodes);
    if (causes.far > 0 || causes.outage > 0)
    {
        Weaken(devices.Get(0)->GetChannel(),
               CreateObject<WeakPath>(causes.far, causes.outage, nodes.Get(options.AccessPoint()), nodes.Get(2)));
    }
    auto medium = devices.Get(0)->GetChannel();
    if (causes.leaving > 0)
    {
        Weaken(medium, CreateObject<LeavingPaths>(causes.leaving, options.seconds, nodes.Get(2)));
    }
    NetDeviceContainer more;
    NodeContainer nearer(causes.nearer > 0 ? 1 : 0);
    if (causes.nearer > 0)
    {
        auto place = nodes.Get(options.AccessPoint())->GetObject<MobilityModel>()->GetPosition();
        more.Add(Nearer(options, medium, nearer.Get(0), place));
        Weaken(medium, CreateObject<WeakPath>(causes.nearer, 0, nodes.Get(0), nodes.Get(options.AccessPoint())));
    }
    NodeContainer roaming(causes.roam > 0 ? 3 : 0);
    if (causes.roam > 0)
    {
        more.Add(Roamer(options, causes, medium, roaming));
    }
    NodeContainer expelled(causes.expelled > 0 ? 2 : 0);
    Ptr<Expelled> loop;
    if (causes.expelled > 0)
    {
        loop = CreateObject<Expelled>(options, causes, medium, expelled);
        more.Add(loop->Devices());
    }
    if (causes.lossy > 0)
    {
        auto sender = Mac48Address::ConvertFrom(devices.Get(2)->GetAddress());
        DynamicCast<WifiNetDevice>(devices.Get(options.AccessPoint()))
            ->GetPhy()
            ->SetPostReceptionErrorModel(Create<LossySender>(sender, causes.lossy));
    }
    auto access = Mac48Address::ConvertFrom(devices.Get(options.AccessPoint())->GetAddress());
    NodeContainer asleep(causes.nulls > 0 ? causes.sleepers : 0);
    auto sleepers = causes.nulls > 0 ? CreateObject<Sleepers>(options, causes, medium, asleep, access) : nullptr;
    NodeContainer noisy(causes.oven > 0 ? 1 : 0);
    auto oven = causes.oven > 0 ? CreateObject<Oven>(options, causes, medium, noisy.Get(0)) : nullptr;
    auto channels = Channels(causes.hopping);
    Ptr<Greedy> greedy;
    if (causes.greedyCw >= 0 || causes.greedyAifsn > 0 || causes.greedyTxop > 0)
    {
        auto node = causes.greedyAccess ? options.AccessPoint() : 2;
        greedy = CreateObject<Greedy>(causes,
                                      QosUtilsMapTidToAc(DsFieldOf(causes.category) >> 5),
                                      DynamicCast<WifiNetDevice>(devices.Get(node))->GetMac());
    }
    NodeContainer distant(causes.elsewhere * channels.size());
    Elsewhere(options, causes, medium, distant);
    auto recording = devices.Get(options.sniffer.empty() ? 0 : nodes.GetN() - 1);
    if (causes.hop > 0)
    {
        channels.push_back(options.channel);
        Hop(recording, channels, 0, causes.hop);
    }
    if (!causes.radar.empty())
    {
        Move(causes.radar, devices.Get(options.AccessPoint()), devices, 1 + options.seconds / 2);
    }
    NodeContainer near(causes.networks + (causes.others > 0 ? 2 : 0));
    auto neighbours = Neighbours(options, causes, devices.Get(0)->GetChannel(), near);
    NodeContainer hosts(causes.wire >= 0 ? 1 : 0);
    NodeContainer all(nodes, near, nearer, roaming, expelled, asleep, noisy, distant);
    all.Add(hosts);
    InternetStackHelper().Install(all);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    auto others = Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(neighbours);
    if (more.GetN() > 0)
    {
        Ipv4AddressHelper("10.0.2.0", "255.255.255.0").Assign(more);
    }
    Ipv4Address host;
    if (causes.wire >= 0)
    {
        auto node = options.AccessPoint();
        host = Wire(causes.wire, hosts.Get(0), nodes.Get(node), interfaces.GetAddress(node), nodes);
    }
    TrafficControlHelper().Uninstall(devices); // one queue, the MAC's
    TrafficControlHelper().Uninstall(neighbours);
    NeighborCacheHelper().PopulateNeighborCache();

    auto sink = CreateObject<Sink>();
    std::vector<Ptr<Source>> sources;
    auto send = [&](Ptr<Node> from, Ptr<Node> to, Ipv4Address address, uint16_t port, uint32_t payload, uint8_t tos = 0) {
        sources.push_back(CreateObject<Source>(from, address, port, payload, tos));
        sink->Listen(to, port);
        return sources.back();
    };
    send(nodes.Get(0), nodes.Get(1), interfaces.GetAddress(1), LIGHT, options.payload)
        ->SendAt(options.light, "poisson", ARRIVAL_STREAMS);
    if (options.saturate)
    {
        auto mac = DynamicCast<WifiNetDevice>(devices.Get(0))->GetMac();
        auto access = mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop();
        send(nodes.Get(0), nodes.Get(1), interfaces.GetAddress(1), SATURATING, options.payload)
            ->KeepFilled(access->GetWifiMacQueue(), access->IsQosTxop() ? 300 : 50);
    }
    auto links = LinksOf(options);
    for (uint32_t i = 1; i < links.size(); i++)
    {
        auto [from, to] = links[i];
        if (options.arrivals == "marked")
        {
            ConnectMarked(causes, options, nodes, interfaces);
            break;
        }
        if (options.arrivals == "tcp")
        {
            bool wired = causes.wire >= 0;
            auto peer = [&](uint32_t node) { return wired && node == options.AccessPoint() ? hosts.Get(0) : nodes.Get(node); };
            auto address = wired && to == options.AccessPoint() ? host : interfaces.GetAddress(to);
            sink->Connect(peer(from), peer(to), address, BACKGROUND_TCP, FIRST_PACKET);
            continue;
        }
        auto tos = DsFieldOf(causes.category);
        send(nodes.Get(from), nodes.Get(to), interfaces.GetAddress(to), BACKGROUND, options.backgroundPayload, tos)
            ->SendAt(options.background / (links.size() - 1), options.arrivals, ARRIVAL_STREAMS + i);
    }
    if (causes.others > 0)
    {
        send(near.Get(1), near.Get(0), others.GetAddress(0), BACKGROUND, options.backgroundPayload)
            ->SendAt(causes.others, "poisson", ARRIVAL_STREAMS + 90);
    }
    if (!options.saturate)
    {
        YansWifiPhyHelper recorder;
        recorder.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
        recorder.EnablePcap(options.directory + "/recording.pcap", recording, false, true);
    }
    Simulator::Stop(Seconds(1 + options.seconds));
    Simulator::Run();
    sink->Write(options.directory + "/goodput.csv", options.seconds);
    WriteStations(options.directory + "/stations.json", devices);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    Causes causes;
    CommandLine line(__FILE__);
    line.AddValue("directory", "where the results go; must exist", options.directory);
    line.AddValue("standard", "802.11a, b, g, n or ac", options.standard);
    line.AddValue("topology", "adhoc, bss or hidden", options.topology);
    line.AddValue("channel", "ns-3 channel settings", options.channel);
    line.AddValue("dataMode", "data rate of the link under study", options.dataMode);
    line.AddValue("backgroundMode", "data rate of the other links; default: the same", options.backgroundMode);
    line.AddValue("controlMode", "rate of control and group-addressed frames", options.controlMode);
    line.AddValue("rts", "RTS before every data frame", options.rts);
    line.AddValue("saturate", "fill the link under study", options.saturate);
    line.AddValue("arrivals", "of the background: poisson, constant, bursty, tcp, marked", options.arrivals);
    line.AddValue("direction", "of the link under study in a BSS: up or down", options.direction);
    line.AddValue("backgroundDirection", "of the others in a BSS: up, down or both", options.backgroundDirection);
    line.AddValue("links", "number of links", options.links);
    line.AddValue("payload", "UDP payload, bytes", options.payload);
    line.AddValue("backgroundPayload", "UDP payload of the other links, bytes", options.backgroundPayload);
    line.AddValue("light", "packets per second on the link under study", options.light);
    line.AddValue("background", "packets per second on all other links together", options.background);
    line.AddValue("loss", "chance that a data frame of the link under study is lost", options.loss);
    line.AddValue("seconds", "measured time", options.seconds);
    line.AddValue("seed", "run number of the random generator", options.seed);
    line.AddValue("networks", "access points nearby that only send beacons", causes.networks);
    line.AddValue("beaconMode", "rate of their beacons", causes.beaconMode);
    line.AddValue("others", "packets per second in another network on the channel", causes.others);
    line.AddValue("aggregation", "A-MPDUs", causes.aggregation);
    line.AddValue("far", "dB more between the access point and the first other station", causes.far);
    line.AddValue("outage", "part of each second in which that path carries nothing", causes.outage);
    line.AddValue("queue", "packets that a station's queue holds", causes.queue);
    line.AddValue("roam", "s after which a station loses its access point", causes.roam);
    line.AddValue("nearer", "dB that another access point of the network is stronger", causes.nearer);
    line.AddValue("nulls", "null frames per second of stations that fall asleep and wake up", causes.nulls);
    line.AddValue("nullMode", "rate of these", causes.nullMode);
    line.AddValue("sleepers", "stations that send them", causes.sleepers);
    line.AddValue("oven", "part of each 20 ms in which a source of noise is on", causes.oven);
    line.AddValue("urgent", "access category of the first marked TCP flow", causes.urgent);
    line.AddValue("patient", "access category of the other marked TCP flows", causes.patient);
    line.AddValue("lossy", "chance that a data frame of the first other station is lost", causes.lossy);
    line.AddValue("expelled", "s after which a station is thrown out again", causes.expelled);
    line.AddValue("radar", "channel to which the network moves in the middle of the run", causes.radar);
    line.AddValue("elsewhere", "access points on each of the other channels", causes.elsewhere);
    line.AddValue("hopping", "other channels, separated by semicolons", causes.hopping);
    line.AddValue("hop", "s that the recorder stays on a channel", causes.hop);
    line.AddValue("leaving", "dB by which the paths of the first other station weaken", causes.leaving);
    line.AddValue("category", "access category of the other links' datagrams", causes.category);
    line.AddValue("wire", "chance that a packet is lost on a wire behind the access point; negative: none", causes.wire);
    line.AddValue("wmm", "EDCA in a network that would have DCF", causes.wmm);
    line.AddValue("greedyCw", "CWmin of the first other station; negative: as announced", causes.greedyCw);
    line.AddValue("greedyAifsn", "its AIFSN; 0: as announced", causes.greedyAifsn);
    line.AddValue("greedyTxop", "its TXOP limit, us, a multiple of 32; 0: as announced", causes.greedyTxop);
    line.AddValue("greedyAccess", "these are the access point's, not the station's", causes.greedyAccess);
    line.AddValue("rateControl", "Minstrel, MinstrelHt or Ideal; empty: constant rates", options.rateControl);
    line.AddValue("fading", "standard deviation per frame on every path, dB", options.fading);
    line.AddValue("sniffer", "near, far, edge; empty: the sender records", options.sniffer);
    line.AddValue("snifferAttenuation", "dB, besides fading, on the way to the sniffer", options.snifferAttenuation);
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
    Run(options, causes);
    return 0;
}
