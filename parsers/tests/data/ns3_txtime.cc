// Prints how long ns-3 takes a VHT or HE single-user PPDU to last, for ns3_txtime.csv:
//   g++ -std=c++17 ns3_txtime.cc -o ns3_txtime $(pkg-config --cflags --libs ns3-wifi) && ./ns3_txtime
#include "ns3/he-phy.h"
#include "ns3/vht-phy.h"
#include "ns3/wifi-phy.h"

#include <iostream>

using namespace ns3;

int
main()
{
    std::cout << "phy,bandwidth_mhz,nss,mcs,octets,us\n";
    for (int bandwidth : {20, 40, 80, 160})
        for (int nss = 1; nss <= 8; nss++)
            for (int mcs = 0; mcs <= 11; mcs++)
                for (bool he : {false, true})
                {
                    if (!he && mcs > 9)
                        continue;
                    auto mode = he ? HePhy::GetHeMcs(mcs) : VhtPhy::GetVhtMcs(mcs);
                    auto preamble = he ? WIFI_PREAMBLE_HE_SU : WIFI_PREAMBLE_VHT_SU;
                    WifiTxVector tx(mode, 0, preamble, 800, 8, nss, 0, bandwidth, false, false);
                    if (!tx.IsValid())
                        continue;
                    for (int octets : {14, 1504, 20013})
                    {
                        auto time = WifiPhy::CalculateTxDuration(octets, tx, WIFI_PHY_BAND_5GHZ);
                        std::cout << (he ? "he" : "vht") << ',' << bandwidth << ',' << nss << ',' << mcs << ','
                                  << octets << ',' << time.GetNanoSeconds() / 1000.0 << '\n';
                    }
                }
}
