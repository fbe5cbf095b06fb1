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
// aggregation, a station that roams, a nearer access point of the same network. Writes
// DIRECTORY/recording.pcap (what node 0 heard and sent) or, with --saturate, fills the link and records
// nothing. Both write DIRECTORY/goodput.csv and DIRECTORY/stations.json.

#include "../../accuracy/ns3/options.h"
#include "../../accuracy/ns3/radio.h"
#include "../../accuracy/ns3/traffic.h"

#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

struct Causes
{
    uint32_t networks = 0;                   // access points nearby that only send beacons
    std::string beaconMode = "DsssRate1Mbps"; // at which they do
    double others = 0;                       // packets per second in another network on the channel
    bool aggregation = true;                 // A-MPDUs
    double far = 0;                          // dB more between the access point and the first other station
    double outage = 0;                       // part of each second in which that path carries nothing
    uint32_t queue = 0;                      // packets that a station's queue holds; 0: ns-3's default
    double roam = 0;                         // s after which a station loses its access point; 0: none roams
    double nearer = 0;                       // dB that another access point of the network is stronger
};

/// Cuts the paths from a station to the access points of one network in turn.
class TurningPaths : public PropagationLossModel
{
  public:
    TurningPaths(double turn, NodeContainer accessPoints, Ptr<Node> station)
        : m_turn(turn),
          m_station(station->GetObject<MobilityModel>())
    {
        for (uint32_t i = 0; i < accessPoints.GetN(); i++)
        {
            m_places.push_back(accessPoints.Get(i)->GetObject<MobilityModel>());
        }
    }

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel> from, Ptr<MobilityModel> to) const override
    {
        auto other = from == m_station ? to : to == m_station ? from : nullptr;
        auto place = std::find(m_places.begin(), m_places.end(), other);
        if (place == m_places.end())
        {
            return dbm;
        }
        auto turn = static_cast<std::size_t>(Simulator::Now().GetSeconds() / m_turn) % m_places.size();
        return turn == static_cast<std::size_t>(place - m_places.begin()) ? dbm : -300;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    double m_turn;
    Ptr<MobilityModel> m_station;
    std::vector<Ptr<MobilityModel>> m_places;
};

/// Weakens the path between two nodes by a constant, and cuts it for the end of each second.
class WeakPath : public PropagationLossModel
{
  public:
    WeakPath(double loss, double outage, Ptr<Node> one, Ptr<Node> other)
        : m_loss(loss),
          m_outage(outage),
          m_one(one->GetObject<MobilityModel>()),
          m_other(other->GetObject<MobilityModel>())
    {
    }

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel> from, Ptr<MobilityModel> to) const override
    {
        if ((from != m_one || to != m_other) && (from != m_other || to != m_one))
        {
            return dbm;
        }
        double now = Simulator::Now().GetSeconds();
        bool cut = now >= 1 && now - std::floor(now) >= 1 - m_outage;
        return cut ? -300 : dbm - m_loss;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    double m_loss;
    double m_outage;
    Ptr<MobilityModel> m_one;
    Ptr<MobilityModel> m_other;
};

/// Puts a loss behind those that a channel has.
void
Weaken(Ptr<Channel> medium, Ptr<PropagationLossModel> path)
{
    PointerValue value;
    medium->GetAttribute("PropagationLossModel", value);
    auto last = value.Get<PropagationLossModel>();
    while (last->GetNext())
    {
        last = last->GetNext();
    }
    last->SetNext(path);
}

/// Access points nearby; to the first belongs a station that sends to it where there is traffic.
NetDeviceContainer
Neighbours(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
{
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        places->Add(Vector(5 * std::cos(0.7 * i) + 1, 5 * std::sin(0.7 * i) + 2, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    YansWifiPhyHelper phy;
    phy.SetChannel(DynamicCast<YansWifiChannel>(medium));
    phy.Set("ChannelSettings", StringValue(options.channel));
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(options.dataMode),
                                 "ControlMode",
                                 StringValue(options.controlMode),
                                 "NonUnicastMode",
                                 StringValue(causes.beaconMode));
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        bool station = causes.others > 0 && i == 1;
        WifiMacHelper mac;
        Ssid ssid("neighbour-" + std::to_string(station ? 0 : i));
        mac.SetType(station ? "ns3::StaWifiMac" : "ns3::ApWifiMac", "Ssid", SsidValue(ssid));
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS + 500);
    return devices;
}

/// Another access point of the network under study, which begins to send beacons when the stations have joined.
NetDeviceContainer
Nearer(const Options& options, Ptr<Channel> medium, Ptr<Node> node, Vector place)
{
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(place);
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.Install(node);
    YansWifiPhyHelper phy;
    phy.SetChannel(DynamicCast<YansWifiChannel>(medium));
    phy.Set("ChannelSettings", StringValue(options.channel));
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("accuracy")), "BeaconGeneration", BooleanValue(false));
    auto devices = wifi.Install(phy, mac, node);
    wifi.AssignStreams(devices, MAC_STREAMS + 700);
    auto access = DynamicCast<WifiNetDevice>(devices.Get(0))->GetMac();
    Simulator::Schedule(Seconds(0.9), [access] { access->SetAttribute("BeaconGeneration", BooleanValue(true)); });
    return devices;
}

/// Two access points of a network of their own and, as the last node, a station that changes between them.
NetDeviceContainer
Roamer(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
{
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        places->Add(Vector(4 + i, -3, 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);
    YansWifiPhyHelper phy;
    phy.SetChannel(DynamicCast<YansWifiChannel>(medium));
    phy.Set("ChannelSettings", StringValue(options.channel));
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    SsidValue ssid(Ssid("two cells"));
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        WifiMacHelper mac;
        if (i + 1 < nodes.GetN())
        {
            mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
        }
        else
        {
            mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "MaxMissedBeacons", UintegerValue(3));
        }
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS + 800);
    NodeContainer accessPoints(nodes.Get(0), nodes.Get(1));
    Weaken(medium, CreateObject<TurningPaths>(causes.roam, accessPoints, nodes.Get(2)));
    return devices;
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
    if (!causes.aggregation)
    {
        Config::SetDefault("ns3::WifiMac::BE_MaxAmpduSize", UintegerValue(0));
    }

    NodeContainer nodes(options.Stations());
    Place(options, nodes);
    NetDeviceContainer devices = MakeDevices(options, nodes);
    if (causes.far > 0 || causes.outage > 0)
    {
        Weaken(devices.Get(0)->GetChannel(),
               CreateObject<WeakPath>(causes.far, causes.outage, nodes.Get(options.AccessPoint()), nodes.Get(2)));
    }
    auto medium = devices.Get(0)->GetChannel();
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
    NodeContainer near(causes.networks + (causes.others > 0 ? 2 : 0));
    auto neighbours = Neighbours(options, causes, devices.Get(0)->GetChannel(), near);
    NodeContainer all(nodes, near, nearer, roaming);
    InternetStackHelper().Install(all);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    auto others = Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(neighbours);
    if (more.GetN() > 0)
    {
        Ipv4AddressHelper("10.0.2.0", "255.255.255.0").Assign(more);
    }
    TrafficControlHelper().Uninstall(devices); // one queue, the MAC's
    TrafficControlHelper().Uninstall(neighbours);
    NeighborCacheHelper().PopulateNeighborCache();

    auto sink = CreateObject<Sink>();
    std::vector<Ptr<Source>> sources;
    auto send = [&](Ptr<Node> from, Ptr<Node> to, Ipv4Address address, uint16_t port, uint32_t payload) {
        sources.push_back(CreateObject<Source>(from, address, port, payload, 0));
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
        if (options.arrivals == "tcp")
        {
            sink->Connect(nodes.Get(from), nodes.Get(to), interfaces.GetAddress(to), BACKGROUND_TCP);
            continue;
        }
        send(nodes.Get(from), nodes.Get(to), interfaces.GetAddress(to), BACKGROUND, options.backgroundPayload)
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
        recorder.EnablePcap(options.directory + "/recording.pcap", devices.Get(0), false, true);
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
    line.AddValue("arrivals", "of the background: poisson, constant, bursty, tcp", options.arrivals);
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
