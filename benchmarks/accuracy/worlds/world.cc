// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// A world of a kind that scenario.cc has not:  world --directory=DIRECTORY [--saturate] [--option=value ...]
//
// As there, node 0 sends to node 1, and --saturate fills that link. Writes own.pcap (what node 0 heard and sent) and
// sniffer.pcap (what a third party's radio beside it heard), and as there goodput.csv and stations.json.

#include "../ns3/traffic.h"
#include "options.h"
#include "radio.h"

#include "ns3/aodv-module.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/olsr-module.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint16_t OUTSIDE = 5004, MULTICAST = 5005;
const char* GROUP_ADDRESS = "224.1.2.3";

const std::map<std::string, uint8_t> SERVICES = {{"BK", 0x20}, {"BE", 0}, {"VI", 0xa0}, {"VO", 0xc0}};
constexpr double FRAMES_PER_SECOND = 30, PACKETS_PER_PAGE = 30;

/// Sends packets at a mean rate between two times.
class Sender : public Object
{
  public:
    Sender(Ptr<Node> node, Ipv4Address to, uint16_t port, uint32_t payload, uint8_t service = 0)
        : m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId())),
          m_payload(payload)
    {
        InetSocketAddress peer(to, port);
        peer.SetTos(service);
        m_socket->Bind();
        m_socket->Connect(peer);
    }

    void SendAt(double packetsPerSecond, const std::string& arrivals, double from, double to, int64_t stream)
    {
        if (packetsPerSecond <= 0)
        {
            return;
        }
        double atOnce = arrivals == "frames"  ? packetsPerSecond / FRAMES_PER_SECOND
                        : arrivals == "pages" ? PACKETS_PER_PAGE
                                              : m_atOnce;
        double gap = atOnce / packetsPerSecond, phase = 0;
        m_atOnce = std::max<uint32_t>(1, std::lround(atOnce));
        if (arrivals == "slow")
        {
            // A second on the average of twice the rate, and one of silence.
            gap /= 2;
            m_period = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1));
            m_period->SetStream(stream + 200);
            Simulator::Schedule(Seconds(std::max(0.0, from)), &Sender::Toggle, this);
        }
        if (arrivals != "constant" && arrivals != "frames")
        {
            m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(gap));
            m_gap->SetStream(stream);
            phase = m_gap->GetValue();
        }
        else
        {
            auto uniform = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(gap));
            uniform->SetStream(stream);
            m_gap = CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(gap));
            phase = uniform->GetValue();
        }
        m_to = to;
        Simulator::Schedule(Seconds(std::max(0.0, from) + phase), &Sender::Next, this);
    }

    /// Of every twelve packets one is as long as before, four have 576 octets of IP, and seven 40 (a "simple IMIX").
    void Mix(int64_t stream)
    {
        m_kind = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(12));
        m_kind->SetStream(stream);
    }

    /// So many packets at once, in place of one.
    void Together(uint32_t packets)
    {
        m_atOnce = packets;
    }

    void KeepFilled(Ptr<WifiMacQueue> queue, uint32_t packets, double from)
    {
        m_queue = queue;
        m_level = packets;
        Simulator::Schedule(Seconds(from), &Sender::Fill, this);
    }

  private:
    void Next()
    {
        if (Simulator::Now().GetSeconds() < m_to)
        {
            for (uint32_t packet = 0; m_sending && packet < m_atOnce; packet++)
            {
                double kind = m_kind ? m_kind->GetValue() : 0;
                m_socket->Send(Create<Packet>(kind < 1 ? m_payload : kind < 5 ? 548 : 12));
            }
            Simulator::Schedule(Seconds(m_gap->GetValue()), &Sender::Next, this);
        }
    }

    void Toggle()
    {
        m_sending = !m_sending;
        Simulator::Schedule(Seconds(m_period->GetValue()), &Sender::Toggle, this);
    }

    void Fill()
    {
        for (uint32_t held = m_queue->GetNPackets(); held < m_level; held++)
        {
            m_socket->Send(Create<Packet>(m_payload));
        }
        Simulator::Schedule(MicroSeconds(500), &Sender::Fill, this);
    }

    Ptr<Socket> m_socket;
    uint32_t m_payload, m_level = 0, m_atOnce = 1;
    Ptr<RandomVariableStream> m_gap, m_kind, m_period;
    bool m_sending = true;
    Ptr<WifiMacQueue> m_queue;
    double m_to = 0;
};

/// Adds up what each flow delivers, in bins.
class Counter : public Object
{
  public:
    void Listen(Ptr<Node> node, uint16_t port)
    {
        if (m_listening.insert({node->GetId(), port}).second)
        {
            auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
            socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
            socket->SetRecvCallback(MakeCallback(&Counter::Received, this));
            m_sockets.push_back(socket);
        }
    }

    void Connect(Ptr<Node> node, Ptr<Node> to, Ipv4Address address, double start)
    {
        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), BACKGROUND_TCP));
        if (m_listening.insert({to->GetId(), BACKGROUND_TCP}).second)
        {
            receiver.Install(to).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Counter::Segment, this));
        }
        BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(address, BACKGROUND_TCP));
        sender.Install(node).Start(Seconds(start));
    }

    void Write(const std::string& path, double begin, double seconds) const
    {
        const std::map<uint16_t, std::string> names = {
            {LIGHT, "light"}, {SATURATING, "saturating"}, {BACKGROUND, "background"},
            {BACKGROUND_TCP, "background_tcp"}, {OUTSIDE, "outside"}};
        std::ofstream file(path);
        file << "flow,start_ns,window_ns,bytes\n";
        for (const auto& [port, name] : names)
        {
            int64_t first = begin * 1e9;
            for (int64_t start = first; start + BIN_NS <= first + int64_t(seconds * 1e9); start += BIN_NS)
            {
                auto found = m_bytes.find({port, start / BIN_NS});
                file << name << ',' << start << ',' << BIN_NS << ','
                     << (found == m_bytes.end() ? 0 : found->second) << '\n';
            }
        }
    }

  private:
    void Received(Ptr<Socket> socket)
    {
        Address local;
        socket->GetSockName(local);
        while (auto packet = socket->Recv())
        {
            Count(InetSocketAddress::ConvertFrom(local).GetPort(), packet->GetSize() + LLC_IP_UDP);
        }
    }

    void Segment(Ptr<const Packet> packet, const Address&)
    {
        Count(BACKGROUND_TCP, packet->GetSize());
    }

    void Count(uint16_t port, uint64_t bytes)
    {
        m_bytes[{port, Simulator::Now().GetNanoSeconds() / BIN_NS}] += bytes;
    }

    std::vector<Ptr<Socket>> m_sockets;
    std::set<std::pair<uint32_t, uint16_t>> m_listening;
    std::map<std::pair<uint16_t, int64_t>, uint64_t> m_bytes;
};

/// Who sends to whom besides node 0 to node 1.
std::vector<std::pair<uint32_t, uint32_t>>
Neighbours(const World& world)
{
    std::vector<std::pair<uint32_t, uint32_t>> links;
    if (world.topology == "chain")
    {
        // One flow of all hops, in either direction.
        uint32_t first = 0, last = 0;
        for (uint32_t node = 0; node < world.links; node++)
        {
            first = world.InLine(node) == 0 ? node : first;
            last = world.InLine(node) == world.links - 1 ? node : last;
        }
        first = world.edge ? 1 : first;
        return {{first, last}, {last, first}};
    }
    for (uint32_t i = 1; i < world.links; i++)
    {
        if (world.topology == "adhoc")
        {
            links.emplace_back(2 * i, 2 * i + 1);
        }
        else if (world.direction == "against")
        {
            links.emplace_back(1, i + 1);
        }
        else if (world.Down() && (world.direction == "down" || i % 2 == 0))
        {
            links.emplace_back(0, i + 1);
        }
        else if (world.Down())
        {
            links.emplace_back(i + 1, 0);
        }
        else
        {
            links.emplace_back(i + 1, 1);
        }
    }
    return links;
}

Ptr<Txop>
AccessOf(Ptr<NetDevice> device, const std::string& category)
{
    const std::map<std::string, AcIndex> categories = {{"BK", AC_BK}, {"BE", AC_BE}, {"VI", AC_VI}, {"VO", AC_VO}};
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    return mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(categories.at(category))) : mac->GetTxop();
}

void
WriteFacts(const World& world, NetDeviceContainer devices)
{
    auto phy = DynamicCast<WifiNetDevice>(devices.Get(0))->GetPhy();
    auto access = AccessOf(devices.Get(0), world.lightCategory);
    std::ofstream(world.directory + "/mac.json")
        << "{\"slot_us\": " << phy->GetSlot().GetMicroSeconds() << ", \"sifs_us\": " << phy->GetSifs().GetMicroSeconds()
        << ", \"aifsn\": " << +access->GetAifsn(0) << ", \"cw_min\": " << access->GetMinCw(0)
        << ", \"cw_max\": " << access->GetMaxCw(0) << "}\n";
    std::ofstream file(world.directory + "/stations.json");
    file << "{\"addresses\": [";
    for (uint32_t node = 0; node < world.Stations(); node++)
    {
        file << (node ? ", " : "") << '"' << Mac48Address::ConvertFrom(devices.Get(node)->GetAddress()) << '"';
    }
    file << "], \"links\": [[0, 1]]}\n";
}

void
Run(const World& world)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(world.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(400));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));

    NodeContainer nodes(world.Stations() + world.beacons + world.scanners + 1);
    Place(world, nodes);
    auto devices = MakeDevices(world, nodes);
    NetDeviceContainer radios;
    for (uint32_t node = 0; node < world.Stations(); node++)
    {
        radios.Add(devices.Get(node));
    }
    InternetStackHelper internet;
    AodvHelper aodv;
    OlsrHelper olsr;
    if (!world.routing.empty())
    {
        internet.SetRoutingHelper(world.routing == "aodv" ? static_cast<Ipv4RoutingHelper&>(aodv) : olsr);
    }
    internet.Install(nodes);
    internet.AssignStreams(nodes, 6000);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(radios);
    TrafficControlHelper().Uninstall(radios);
    NeighborCacheHelper().PopulateNeighborCache();

    auto counter = CreateObject<Counter>();
    std::vector<Ptr<Sender>> senders;
    double start = world.begin - 0.4;
    int64_t stream = ARRIVAL_STREAMS;
    auto flow = [&](uint32_t from, uint32_t to, uint16_t port, uint32_t payload, uint8_t service = 0) {
        senders.push_back(CreateObject<Sender>(nodes.Get(from), interfaces.GetAddress(to), port, payload, service));
        counter->Listen(nodes.Get(to), port);
        return senders.back();
    };
    auto span = [&](double time) { return time <= 0 ? start : world.begin + time; };
    flow(0, 1, LIGHT, world.payload, SERVICES.at(world.lightCategory))
        ->SendAt(world.light, world.lightArrivals, span(world.lightFrom), span(world.lightTo), stream++);
    if (world.saturate)
    {
        auto access = AccessOf(devices.Get(0), world.lightCategory);
        flow(0, 1, SATURATING, world.payload, SERVICES.at(world.lightCategory))
            ->KeepFilled(access->GetWifiMacQueue(), access->IsQosTxop() ? 300 : 50, start);
    }
    auto neighbours = Neighbours(world);
    for (auto [from, to] : neighbours)
    {
        if (world.arrivals == "tcp" && world.background > 0)
        {
            counter->Connect(nodes.Get(from), nodes.Get(to), interfaces.GetAddress(to), start - 0.1);
            continue;
        }
        auto sender = flow(from, to, BACKGROUND, world.otherPayload, SERVICES.at(world.category));
        double rate = world.background / neighbours.size();
        sender->SendAt(rate, world.arrivals, span(world.otherFrom), span(world.otherTo), stream);
        if (world.mixed)
        {
            sender->Mix(stream + 100);
        }
        stream++;
    }
    for (uint32_t i = 1; i <= world.outsiders; i++)
    {
        uint32_t access = world.Own(), station = world.Own() + i;
        flow(world.outsideDown ? access : station, world.outsideDown ? station : access, OUTSIDE, world.otherPayload)
            ->SendAt(world.outside / world.outsiders, "poisson", start, 1e6, stream++);
    }
    if (world.multicast > 0)
    {
        uint32_t from = world.Bss() ? world.AccessPoint() : 2;
        Ipv4StaticRoutingHelper().SetDefaultMulticastRoute(nodes.Get(from), devices.Get(from));
        senders.push_back(CreateObject<Sender>(
            nodes.Get(from), Ipv4Address(GROUP_ADDRESS), MULTICAST, world.multicastPayload));
        senders.back()->Together(world.multicastBurst);
        senders.back()->SendAt(world.multicast, world.multicastBurst > 1 ? "constant" : "poisson", start, 1e6, stream++);
    }
    if (!world.saturate)
    {
        WifiPhyHelper* recorder = new YansWifiPhyHelper;
        recorder->SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
        recorder->EnablePcap(world.directory + "/own.pcap", devices.Get(0), false, true);
        recorder->EnablePcap(world.directory + "/sniffer.pcap", devices.Get(devices.GetN() - 1), false, true);
    }
    Simulator::Stop(Seconds(world.begin + world.seconds));
    Simulator::Run();
    counter->Write(world.directory + "/goodput.csv", world.begin, world.seconds);
    WriteFacts(world, devices);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    World world;
    CommandLine line(__FILE__);
#define OPTION(name) line.AddValue(#name, "see options.h", world.name)
    OPTION(directory); OPTION(saturate); OPTION(seed); OPTION(seconds); OPTION(begin);
    OPTION(standard); OPTION(channel); OPTION(mode); OPTION(otherMode); OPTION(control); OPTION(group);
    OPTION(legacyStandard); OPTION(legacyMode); OPTION(legacyChannel); OPTION(antennas); OPTION(gi); OPTION(rateControl); OPTION(spectrum); OPTION(loss); OPTION(power);
    OPTION(topology); OPTION(direction); OPTION(distances); OPTION(spacing); OPTION(routing); OPTION(edge); OPTION(speed);
    OPTION(links); OPTION(payload); OPTION(light); OPTION(background); OPTION(arrivals); OPTION(otherPayload);
    OPTION(lightArrivals); OPTION(category); OPTION(mixed); OPTION(lightFrom); OPTION(lightTo); OPTION(otherFrom); OPTION(otherTo); OPTION(multicast); OPTION(multicastPayload);
    OPTION(outsiders); OPTION(outsideChannel); OPTION(outsideStandard); OPTION(outsideMode); OPTION(outside);
    OPTION(outsideAt); OPTION(beacons); OPTION(beaconUnits);
    OPTION(txop); OPTION(cwMin); OPTION(aifsn); OPTION(outsideCwMin); OPTION(outsideAifsn);
    OPTION(ampdu); OPTION(amsdu); OPTION(window); OPTION(fragment); OPTION(rts); OPTION(rtsAbove);
    OPTION(dlOfdma); OPTION(ulOfdma);
    OPTION(receiverPower); OPTION(range); OPTION(capture); OPTION(slot); OPTION(snifferAt);
    OPTION(interferer); OPTION(interfererPeriod); OPTION(interfererOn); OPTION(interfererAt);
    OPTION(lightCategory); OPTION(multicastBurst); OPTION(outsideDown); OPTION(scanners);
    OPTION(videoTxop); OPTION(ownAmpdu); OPTION(retries); OPTION(rtsBy); OPTION(shortPreamble); OPTION(protection);
#undef OPTION
    line.Parse(argc, argv);
    if (world.directory.empty())
    {
        std::cerr << "--directory is missing\n";
        return 2;
    }
    Run(world);
    return 0;
}
