// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// A host behind the access point, at the end of a wire that loses packets.

#pragma once

#include "ns3/internet-module.h"
#include "ns3/network-module.h"

namespace ns3
{

constexpr int64_t WIRE_STREAMS = 3030;

/// Loses packets in both directions, each with the same chance.
inline Ptr<ErrorModel>
LossyEnd(double chance, int64_t stream)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(chance);
    model->SetRandomVariable(random);
    return model;
}

/// Connects a host with the access point, 100 Mb/s and 5 ms one way, and tells the stations the way to it.
inline Ipv4Address
Wire(double chance, Ptr<Node> host, Ptr<Node> access, Ipv4Address ofAccess, NodeContainer stations)
{
    SimpleNetDeviceHelper wire;
    wire.SetNetDevicePointToPointMode(true);
    wire.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    wire.SetChannelAttribute("Delay", StringValue("5ms"));
    auto ends = wire.Install(NodeContainer(host, access));
    for (uint32_t i = 0; i < ends.GetN(); i++)
    {
        ends.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(LossyEnd(chance, WIRE_STREAMS + i)));
    }
    auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(ends);
    Ipv4StaticRoutingHelper routing;
    auto route = [&](Ptr<Node> node, Ipv4Address by) {
        routing.GetStaticRouting(node->GetObject<Ipv4>())->SetDefaultRoute(by, 1);
    };
    route(host, addresses.GetAddress(1));
    for (uint32_t i = 0; i < stations.GetN(); i++)
    {
        if (stations.Get(i) != access)
        {
            route(stations.Get(i), ofAccess);
        }
    }
    return addresses.GetAddress(0);
}

} // namespace ns3
