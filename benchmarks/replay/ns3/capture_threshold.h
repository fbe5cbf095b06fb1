// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Reception by signal to interference and noise alone, for programs of several benchmarks.

#pragma once

#include "ns3/wifi-module.h"

namespace ns3
{

/// Receives what is at least 10 dB above noise and interference, and nothing else.
class CaptureThreshold : public ErrorRateModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("CaptureThreshold").SetParent<ErrorRateModel>().AddConstructor<CaptureThreshold>();
        return tid;
    }

  private:
    double DoGetChunkSuccessRate(WifiMode,
                                 const WifiTxVector&,
                                 double snr,
                                 uint64_t,
                                 uint8_t,
                                 WifiPpduField,
                                 uint16_t) const override
    {
        return snr >= 10 ? 1 : 0;
    }
};

NS_OBJECT_ENSURE_REGISTERED(CaptureThreshold);

} // namespace ns3
