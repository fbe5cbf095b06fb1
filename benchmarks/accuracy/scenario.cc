// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// One run of the accuracy study:  scenario --directory=DIRECTORY [--saturate] [--option=value ...]
//
// Node 0 sends to node 1: the link under study, with light traffic of its own. The other links carry
// the background. Writes DIRECTORY/sender.pcap (what node 0 heard and sent) or, with --saturate,
// fills the link on top of its light traffic and records nothing. Both write DIRECTORY/goodput.csv
// (payload delivered per second and flow) and DIRECTORY/mac.json (what the sender's MAC was set to).
//
// Arrivals and MAC draw from random streams of their own, so the background offered is the same,
// packet by packet, in the run with --saturate and in the one without.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-helper.h"

#include <fstream>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

struct Options
{
    std::string directory;
    std::string standard = "802.11g";
    std::string topology = "adhoc"; // adhoc: pairs in range; bss: all to one access point; hidden
    std::string channel = "{1,20,BAND_2_4GHZ,0}"; // number, width, band, primary 20 MHz
    std::string dataMode = "ErpOfdmRate54Mbps";
    std::string backgroundMode; // of the other links, if it is another
    std::string controlMode = "ErpOfdmRate6Mbps";
    bool rts = false;
    bool saturate = false;
    bool constant = false; // background packets at equal intervals, not Poisson
    uint32_t links = 1;    // the one under study included
    uint32_t payload = 1472; // bytes of UDP payload
    uint32_t backgroundPayload = 1472;
    double light = 10;       // packets per second on the link under study
    double background = 0;   // packets per second, all other links together
    double loss = 0;         // chance that a data frame of the link under study is lost
    double seconds = 6;
    uint32_t seed = 1;
};

constexpr double FIRST_PACKET = 0.6;  // after association
constexpr uint16_t LIGHT = 5000, SATURATING = 5001, BACKGROUND = 5002;
constexpr uint32_t LLC_IP_UDP = 8 + 20 + 8; // what an MSDU has beside the UDP payload
constexpr int64_t ARRIVAL_STREAMS = 1000, MAC_STREAMS = 2000, LOSS_STREAM = 3000;
constexpr double RANGE = 250;

/// Loses data frames addressed to one station, each with the same chance.
class LossyLink : public ErrorModel
{
  public:
    LossyLink(Mac48Address receiver, double chance)
        : m_receiver(receiver),
          m_chance(chance),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(LOSS_STREAM);
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

/// Sends packets of one size: at a mean rate, or as many as keep a queue filled.
class Source : public Object
{
  public:
    Source(Ptr<Node> node, Ipv4Address to, uint16_t port, uint32_t payload)
        : m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId())),
          m_payload(payload)
    {
        m_socket->Bind();
        m_socket->Connect(InetSocketAddress(to, port));
    }

    void SendAt(double packetsPerSecond, bool constant, int64_t stream)
    {
        if (packetsPerSecond <= 0)
        {
            return;
        }
        if (constant)
        {
            m_gap = CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(1 / packetsPerSecond));
        }
        else
        {
            m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1 / packetsPerSecond));
        }
        m_gap->SetStream(stream);
        auto phase = CreateObject<UniformRandomVariable>();
        phase->SetStream(stream + 100);
        Simulator::Schedule(Seconds(FIRST_PACKET + phase->GetValue() / packetsPerSecond), &Source::SendNext, this);
    }

    void KeepFilled(Ptr<WifiMacQueue> queue, uint32_t packets)
    {
        m_queue = queue;
        m_level = packets;
        Simulator::Schedule(Seconds(FIRST_PACKET), &Source::Fill, this);
    }

  private:
    void SendNext()
    {
        m_socket->Send(Create<Packet>(m_payload));
        Simulator::Schedule(Seconds(m_gap->GetValue()), &Source::SendNext, this);
    }

    void Fill()
    {
        for (uint32_t held = m_queue->GetNPackets(); held < m_level; held++)
        {
            m_socket->Send(Create<Packet>(m_payload));
        }
        Simulator::Schedule(MicroSeconds(500), &Source::Fill, this);
    }

    Ptr<Socket> m_socket;
    uint32_t m_payload;
    Ptr<RandomVariableStream> m_gap;
    Ptr<WifiMacQueue> m_queue;
    uint32_t m_level = 0;
};

/// Adds up the MSDU octets that each port receives, by second.
class Sink : public Object
{
  public:
    void Listen(Ptr<Node> node, uint16_t port)
    {
        auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        socket->SetRecvCallback(MakeCallback(&Sink::OnPackets, this));
        m_sockets.push_back(socket);
    }

    void Write(const std::string& path, double seconds) const
    {
        const std::map<uint16_t, std::string> names = {{LIGHT, "light"}, {SATURATING, "saturating"}, {BACKGROUND, "background"}};
        std::ofstream file(path);
        file << "flow,start_ns,window_ns,msdu_bytes\n";
        for (const auto& [port, name] : names)
        {
            for (int64_t second = 1; second < 1 + seconds; second++)
            {
                auto found = m_bytes.find({port, second});
                file << name << ',' << second * 1000000000 << ",1000000000,"
                     << (found == m_bytes.end() ? 0 : found->second) << '\n';
            }
        }
    }

  private:
    void OnPackets(Ptr<Socket> socket)
    {
        Address local;
        socket->GetSockName(local);
        uint16_t port = InetSocketAddress::ConvertFrom(local).GetPort();
        while (auto packet = socket->Recv())
        {
            m_bytes[{port, Simulator::Now().GetNanoSeconds() / 1000000000}] += packet->GetSize() + LLC_IP_UDP;
        }
    }

    std::vector<Ptr<Socket>> m_sockets;
    std::map<std::pair<uint16_t, int64_t>, uint64_t> m_bytes;
};

/// Who sends to whom. Link 0 is the one under study.
std::vector<std::pair<uint32_t, uint32_t>>
LinksOf(const Options& options)
{
    std::vector<std::pair<uint32_t, uint32_t>> links;
    for (uint32_t i = 0; i < options.links; i++)
    {
        bool pairs = options.topology == "adhoc";
        links.push_back(i == 0 ? std::make_pair(0U, 1U)
                               : std::make_pair(pairs ? 2 * i : i + 1, pairs ? 2 * i + 1 : 1U));
    }
    return links;
}

void
Place(const Options& options, NodeContainer nodes)
{
    auto places = CreateObject<ListPositionAllocator>();
    auto links = LinksOf(options);
    std::map<uint32_t, Vector> at;
    for (uint32_t i = 0; i < links.size(); i++)
    {
        double angle = 2 * M_PI * i / links.size();
        if (options.topology == "hidden")
        {
            at[links[i].first] = Vector(i == 0 ? -200 : 200, i == 0 ? 0 : 5.0 * i, 0);
            at[links[i].second] = Vector(0, 0, 0);
        }
        else if (options.topology == "bss")
        {
            at[links[i].first] = Vector(10 * std::cos(angle), 10 * std::sin(angle), 0);
            at[links[i].second] = Vector(0, 0, 0);
        }
        else
        {
            at[links[i].first] = Vector(15 * std::cos(angle), 15 * std::sin(angle), 0);
            at[links[i].second] = Vector(25 * std::cos(angle + 0.2), 25 * std::sin(angle + 0.2), 0);
        }
    }
    for (const auto& [node, place] : at)
    {
        places->Add(place);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

WifiStandard
StandardOf(const Options& options)
{
    const std::map<std::string, WifiStandard> standards = {{"802.11b", WIFI_STANDARD_80211b},
                                                           {"802.11g", WIFI_STANDARD_80211g},
                                                           {"802.11n", WIFI_STANDARD_80211n},
                                                           {"802.11ac", WIFI_STANDARD_80211ac}};
    return standards.at(options.standard);
}

/// Leaves one basic rate. Left alone, an ad hoc station makes every mandatory rate basic when it first
/// meets another, and then acknowledges at 11 Mb/s; so all stations are made acquainted beforehand.
void
LimitBasicRates(NetDeviceContainer devices, const Options& options)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto stations = DynamicCast<WifiNetDevice>(devices.Get(i))->GetRemoteStationManager();
        stations->AddBasicMode(WifiMode(options.controlMode));
        for (uint32_t j = 0; j < devices.GetN(); j++)
        {
            Mac48Address peer = Mac48Address::ConvertFrom(devices.Get(j)->GetAddress());
            for (const auto& mode : {options.controlMode, options.dataMode, options.backgroundMode})
            {
                stations->AddSupportedMode(peer, WifiMode(mode));
            }
            stations->RecordDisassociated(peer);
        }
        stations->RecordDisassociated(Mac48Address::GetBroadcast());
    }
}

NetDeviceContainer
MakeDevices(const Options& options, NodeContainer nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", DoubleValue(2.412e9));
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(RANGE));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue(options.channel));
    phy.Set("TxPowerStart", DoubleValue(20));
    phy.Set("TxPowerEnd", DoubleValue(20));

    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    bool bss = options.topology == "bss";
    NetDeviceContainer devices;
    for (uint32_t node = 0; node < nodes.GetN(); node++)
    {
        WifiMacHelper mac;
        Ssid ssid("accuracy");
        if (bss)
        {
            mac.SetType(node == 1 ? "ns3::ApWifiMac" : "ns3::StaWifiMac", "Ssid", SsidValue(ssid));
        }
        else
        {
            mac.SetType("ns3::AdhocWifiMac");
        }
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode", StringValue(node < 2 ? options.dataMode : options.backgroundMode),
                                     "ControlMode", StringValue(options.controlMode),
                                     "NonUnicastMode", StringValue(options.controlMode),
                                     "RtsCtsThreshold", UintegerValue(options.rts ? 0 : 65535));
        devices.Add(wifi.Install(phy, mac, nodes.Get(node)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS);
    if (!bss && options.standard == "802.11b")
    {
        // Start-up clears what is set now.
        Simulator::Schedule(MilliSeconds(1), [=] { LimitBasicRates(devices, options); });
    }
    if (options.loss > 0)
    {
        auto receiver = DynamicCast<WifiNetDevice>(devices.Get(1));
        auto address = Mac48Address::ConvertFrom(receiver->GetAddress());
        receiver->GetPhy()->SetPostReceptionErrorModel(Create<LossyLink>(address, options.loss));
    }
    return devices;
}

/// The queue that best-effort data of a device waits in.
Ptr<Txop>
BestEffort(Ptr<NetDevice> device)
{
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    return mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop();
}

void
WriteMac(const std::string& path, Ptr<NetDevice> device)
{
    auto phy = DynamicCast<WifiNetDevice>(device)->GetPhy();
    auto access = BestEffort(device);
    std::ofstream(path) << "{\"slot_us\": " << phy->GetSlot().GetMicroSeconds()
                        << ", \"sifs_us\": " << phy->GetSifs().GetMicroSeconds()
                        << ", \"aifsn\": " << +access->GetAifsn(0) << ", \"cw_min\": " << access->GetMinCw(0)
                        << ", \"cw_max\": " << access->GetMaxCw(0) << "}\n";
}

void
Run(const Options& options)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(160));

    auto links = LinksOf(options);
    NodeContainer nodes(options.topology == "adhoc" ? 2 * options.links : options.links + 1);
    Place(options, nodes);
    NetDeviceContainer devices = MakeDevices(options, nodes);
    InternetStackHelper().Install(nodes);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    TrafficControlHelper().Uninstall(devices); // one queue, the MAC's
    NeighborCacheHelper().PopulateNeighborCache();

    auto sink = CreateObject<Sink>();
    std::map<uint32_t, bool> listening;
    std::vector<Ptr<Source>> sources;
    for (uint32_t i = 0; i < links.size(); i++)
    {
        auto [from, to] = links[i];
        auto source = [&, from = from, to = to](uint16_t port, uint32_t payload) {
            sources.push_back(CreateObject<Source>(nodes.Get(from), interfaces.GetAddress(to), port, payload));
            return sources.back();
        };
        if (i > 0)
        {
            double each = options.background / (links.size() - 1);
            source(BACKGROUND, options.backgroundPayload)->SendAt(each, options.constant, ARRIVAL_STREAMS + i);
            if (!listening[to])
            {
                sink->Listen(nodes.Get(to), BACKGROUND);
                listening[to] = true;
            }
            continue;
        }
        source(LIGHT, options.payload)->SendAt(options.light, false, ARRIVAL_STREAMS);
        sink->Listen(nodes.Get(to), LIGHT);
        if (options.saturate)
        {
            bool aggregates = BestEffort(devices.Get(from))->IsQosTxop();
            source(SATURATING, options.payload)
                ->KeepFilled(BestEffort(devices.Get(from))->GetWifiMacQueue(), aggregates ? 300 : 50);
            sink->Listen(nodes.Get(to), SATURATING);
        }
    }
    if (!options.saturate)
    {
        YansWifiPhyHelper recorder;
        recorder.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
        recorder.EnablePcap(options.directory + "/sender.pcap", devices.Get(0), false, true);
    }
    Simulator::Stop(Seconds(1 + options.seconds));
    Simulator::Run();
    sink->Write(options.directory + "/goodput.csv", options.seconds);
    WriteMac(options.directory + "/mac.json", devices.Get(0));
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("directory", "where the results go; must exist", options.directory);
    line.AddValue("standard", "802.11b, g, n or ac", options.standard);
    line.AddValue("topology", "adhoc, bss or hidden", options.topology);
    line.AddValue("channel", "ns-3 channel settings", options.channel);
    line.AddValue("dataMode", "data rate of the link under study", options.dataMode);
    line.AddValue("backgroundMode", "data rate of the other links; default: the same", options.backgroundMode);
    line.AddValue("controlMode", "rate of RTS, CTS and group-addressed frames", options.controlMode);
    line.AddValue("rts", "RTS before every data frame", options.rts);
    line.AddValue("saturate", "fill the link under study", options.saturate);
    line.AddValue("constant", "background packets at equal intervals", options.constant);
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
