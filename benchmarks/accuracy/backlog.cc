// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// A recording whose backlogged stations are known:  backlog --directory=DIRECTORY [--option=value ...]
//
// Link 0 is filled every other 400 ms and carries light traffic otherwise, link 1 carries one greedy TCP
// flow, link 2 heavy and link 3 light Poisson traffic. Writes DIRECTORY/recording.pcap, what node 0 heard and
// sent, and DIRECTORY/queues.csv: from when to when the queue of each station held something.

#include "ns3/options.h"
#include "ns3/radio.h"
#include "ns3/traffic.h"

#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-helper.h"

#include <sstream>

using namespace ns3;

namespace
{

/// Writes the times in which a queue is not empty.
class QueueLog : public Object
{
  public:
    QueueLog(Ptr<WifiMacQueue> queue, std::string station, std::ofstream& file)
        : m_queue(queue),
          m_station(station),
          m_file(file)
    {
        Look();
    }

    /// To the end of the run.
    void Close()
    {
        if (m_since >= 0)
        {
            m_file << m_station << ',' << m_since << ',' << Simulator::Now().GetNanoSeconds() << '\n';
        }
    }

  private:
    void Look()
    {
        bool held = m_queue->GetNPackets() > 0;
        if (held && m_since < 0)
        {
            m_since = Simulator::Now().GetNanoSeconds();
        }
        else if (!held && m_since >= 0)
        {
            m_file << m_station << ',' << m_since << ',' << Simulator::Now().GetNanoSeconds() << '\n';
            m_since = -1;
        }
        Simulator::Schedule(MicroSeconds(10), &QueueLog::Look, this);
    }

    Ptr<WifiMacQueue> m_queue;
    std::string m_station;
    std::ofstream& m_file;
    int64_t m_since = -1;
};

/// Keeps a queue filled every other period.
void
FillNowAndThen(Ptr<Socket> socket, Ptr<WifiMacQueue> queue, uint32_t level, int64_t period)
{
    if (Simulator::Now().GetNanoSeconds() / period % 2 == 0)
    {
        for (uint32_t held = queue->GetNPackets(); held < level; held++)
        {
            socket->Send(Create<Packet>(1472));
        }
    }
    Simulator::Schedule(MicroSeconds(500), &FillNowAndThen, socket, queue, level, period);
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    options.links = 4;
    options.seconds = 2;
    double heavy = 400;
    CommandLine line(__FILE__);
    line.AddValue("directory", "where the results go; must exist", options.directory);
    line.AddValue("standard", "802.11a, b, g, n, ac or ax", options.standard);
    line.AddValue("channel", "ns-3 channel settings", options.channel);
    line.AddValue("dataMode", "data rate", options.dataMode);
    line.AddValue("controlMode", "rate of RTS, CTS and group-addressed frames", options.controlMode);
    line.AddValue("rts", "RTS before every data frame", options.rts);
    line.AddValue("light", "packets per second of the light links", options.light);
    line.AddValue("heavy", "packets per second of the heavy link", heavy);
    line.AddValue("seconds", "time after the first second", options.seconds);
    line.AddValue("seed", "run number of the random generator", options.seed);
    line.Parse(argc, argv);
    options.backgroundMode = options.dataMode;

    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.seed);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(100));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4000000));
    NodeContainer nodes(options.Stations());
    Place(options, nodes);
    auto devices = MakeDevices(options, nodes);
    InternetStackHelper().Install(nodes);
    auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();

    auto sink = CreateObject<Sink>();
    std::vector<Ptr<Source>> sources;
    for (auto [from, rate] : std::map<uint32_t, double>{{0, options.light}, {4, heavy}, {6, options.light}})
    {
        sink->Listen(nodes.Get(from + 1), LIGHT);
        sources.push_back(CreateObject<Source>(nodes.Get(from), interfaces.GetAddress(from + 1), LIGHT, 1472, 0));
        sources.back()->SendAt(rate, "poisson", ARRIVAL_STREAMS + from);
    }
    sink->Connect(nodes.Get(2), nodes.Get(3), interfaces.GetAddress(3), BACKGROUND_TCP, BACKGROUND_CONNECTS);

    std::ofstream log(options.directory + "/queues.csv");
    log << "station,start_ns,end_ns\n";
    std::vector<Ptr<QueueLog>> logs;
    Ptr<WifiMacQueue> first;
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto mac = DynamicCast<WifiNetDevice>(devices.Get(i))->GetMac();
        auto queue = (mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop())->GetWifiMacQueue();
        first = i == 0 ? queue : first;
        std::ostringstream address;
        address << Mac48Address::ConvertFrom(devices.Get(i)->GetAddress());
        logs.push_back(CreateObject<QueueLog>(queue, address.str(), log));
    }
    auto socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
    socket->Bind();
    socket->Connect(InetSocketAddress(interfaces.GetAddress(1), LIGHT));
    Simulator::Schedule(Seconds(FIRST_PACKET), &FillNowAndThen, socket, first, 100, int64_t(400000000));

    YansWifiPhyHelper recorder;
    recorder.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    recorder.EnablePcap(options.directory + "/recording.pcap", devices.Get(0), false, true);
    Simulator::Stop(Seconds(1 + options.seconds));
    Simulator::Run();
    for (auto& each : logs)
    {
        each->Close();
    }
    Simulator::Destroy();
    return 0;
}
