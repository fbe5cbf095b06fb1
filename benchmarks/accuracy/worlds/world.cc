// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// A world of a kind that scenario.cc has not:  world --directory=DIRECTORY [--saturate] [--option=value ...]
//
// As there, node 0 sends to node 1, and --saturate fills that link. Writes own.pcap (what node 0 heard and sent) and
// sniffer.pcap (what a third party's radio beside it heard), and as there goodput.csv and stations.json.

#include "flows.h"
#include "options.h"
#include "radio.h"
#include "senders.h"

#include "ns3/aodv-module.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/olsr-module.h"
#include "ns3/traffic-control-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

const char* GROUP_ADDRESS = "224.1.2.3";

const std::map<std::string, uint8_t> SERVICES = {{"BK", 0x20}, {"BE", 0}, {"VI", 0xa0}, {"VO", 0xc0}};

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
        if (world.Pairs())
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

/// The flows that are declared one by one, each with random numbers of its own.
std::vector<Ptr<Object>>
Declare(const World& world, NodeContainer nodes, Ipv4InterfaceContainer interfaces, Ptr<Counter> counter)
{
    auto hosts = WiredHosts(world, nodes, interfaces);
    auto end = [&](const std::string& name) -> std::pair<Ptr<Node>, Ipv4Address> {
        if (name == "*")
        {
            return {nullptr, Ipv4Address("10.0.0.255")};
        }
        return name[0] == 'w' ? hosts.at(std::stoul(name.substr(1)) - 1)
                              : std::make_pair(nodes.Get(std::stoul(name)), interfaces.GetAddress(std::stoul(name)));
    };
    std::vector<Ptr<Object>> kept;
    int64_t stream = ARRIVAL_STREAMS + 500;
    double start = world.begin - 0.4;
    for (const auto& flow : DeclaredFlows(world))
    {
        auto [to, address] = end(flow.to);
        auto from = end(flow.from).first;
        auto service = SERVICES.at(flow.category);
        double begin = flow.begin > 0 ? world.begin + flow.begin : start, until = world.begin + flow.end;
        // Addresses are asked for, and the far host answers, before the link is filled: an ARP that fails is not tried again.
        double connects = std::max(0.25, begin - 0.35) + 0.003 * (stream - ARRIVAL_STREAMS - 500);
        if (flow.kind == "tcp")
        {
            counter->Connect(from, to, address, connects, service);
        }
        else if (flow.kind == "chunks")
        {
            InetSocketAddress peer(address, BACKGROUND_TCP);
            peer.SetTos(service);
            counter->Accept(to);
            auto streamer = CreateObject<Streamer>(from, peer, flow, connects);
            auto phase = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(1 / flow.rate));
            phase->SetStream(stream);
            streamer->Begin(begin + phase->GetValue(), until);
            kept.push_back(streamer);
        }
        else
        {
            auto sender = CreateObject<Sender>(from, address, BACKGROUND, flow.payload, service);
            if (to)
            {
                counter->Listen(to, BACKGROUND);
            }
            sender->Together(flow.together);
            sender->SendAt(flow.rate, flow.kind, begin, until, stream);
            kept.push_back(sender);
        }
        stream++;
    }
    return kept;
}

void
Run(const World& world)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(world.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(400));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));

    if (!world.congestion.empty())
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + world.congestion)));
    }

    NodeContainer nodes(world.Stations() + world.beacons + world.scanners + 1);
    Place(world, nodes);
    auto devices = MakeDevices(world, nodes);
    NetDeviceContainer radios;
    for (uint32_t node = 0; node < world.Stations(); node++)
    {
        // Behind the radio of a mesh station is its bridge.
        auto own = nodes.Get(node);
        auto last = own->GetDevice(own->GetNDevices() - 1);
        auto first = own->GetDevice(0);
        radios.Add(DynamicCast<MeshPointDevice>(first) ? first : DynamicCast<MeshPointDevice>(last) ? last : devices.Get(node));
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
    TrafficControlHelper().Uninstall(world.topology == "mesh" ? NetDeviceContainer() : radios);

    auto counter = CreateObject<Counter>();
    auto declared = Declare(world, nodes, interfaces, counter);
    NeighborCacheHelper().PopulateNeighborCache();
    std::vector<Ptr<Sender>> senders;
    double start = world.begin - 0.4;
    int64_t stream = ARRIVAL_STREAMS;
    auto flow = [&](uint32_t from, uint32_t to, uint16_t port, uint32_t payload, uint8_t service = 0) {
        senders.push_back(CreateObject<Sender>(nodes.Get(from), interfaces.GetAddress(to), port, payload, service));
        if (world.ownMixed && from == 0 && to == 1)
        {
            senders.back()->Mix(ARRIVAL_STREAMS + 400 + port);
        }
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
    OPTION(interfererWidth); OPTION(interfererCentre); OPTION(ownMixed); OPTION(congestion); OPTION(cells); OPTION(obssPd);
    OPTION(nulls); OPTION(edca);
    OPTION(flows); OPTION(wired); OPTION(standards); OPTION(modes); OPTION(channels); OPTION(powers); OPTION(positions);
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
