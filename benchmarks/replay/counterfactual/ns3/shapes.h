// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Where the nodes of a shape stand, and the paths of its flows.

#pragma once

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"

#include <string>
#include <vector>

constexpr double STAR_RADIUS_M = 50;

/// Nodes and paths; the last path is that of the last TCP flow.
struct Shape
{
    std::vector<ns3::Vector> positions;
    std::vector<std::vector<uint32_t>> paths;
    /// A place that is within range of as many nodes as there is one.
    ns3::Vector middle;
};

/// A number behind a word: 3 of "chain3".
inline uint32_t
NumberAfter(const std::string& text, const std::string& word)
{
    NS_ABORT_MSG_IF(text.rfind(word, 0) != 0 || text.size() == word.size(), "no shape " << text);
    return std::stoul(text.substr(word.size()));
}

inline Shape
Chain(uint32_t hops, double spacingM)
{
    Shape shape;
    shape.paths.emplace_back();
    for (uint32_t node = 0; node <= hops; node++)
    {
        shape.positions.emplace_back(node * spacingM, 0, 0);
        shape.paths.front().push_back(node);
    }
    shape.middle = ns3::Vector(hops / 2 * spacingM + 20, 20, 0);
    return shape;
}

/// Node 0 is the receiver of all.
inline Shape
Star(uint32_t stations)
{
    Shape shape;
    shape.positions.emplace_back(0, 0, 0);
    for (uint32_t i = 0; i < stations; i++)
    {
        double angle = 2 * M_PI * i / stations;
        shape.positions.emplace_back(STAR_RADIUS_M * std::cos(angle), STAR_RADIUS_M * std::sin(angle), 0);
        shape.paths.push_back({i + 1, 0});
    }
    shape.middle = ns3::Vector(10, 10, 0);
    return shape;
}

/// A star in which the first path, the third and so on lead from the centre to their station.
inline Shape
Duplex(uint32_t stations)
{
    Shape shape = Star(stations);
    for (uint32_t i = 0; i < stations; i += 2)
    {
        shape.paths[i] = {0, i + 1};
    }
    return shape;
}

inline Shape
Grid(uint32_t rows, uint32_t columns, double spacingM, const std::vector<std::vector<uint32_t>>& paths)
{
    Shape shape;
    for (uint32_t node = 0; node < rows * columns; node++)
    {
        shape.positions.emplace_back(node % columns * spacingM, node / columns * spacingM, 0);
    }
    shape.paths = paths;
    shape.middle = ns3::Vector((columns - 1) * spacingM / 2 + 20, (rows - 1) * spacingM / 2 + 20, 0);
    return shape;
}

inline Shape
Named(const std::string& name, double spacingM)
{
    if (name.rfind("chain", 0) == 0)
    {
        return Chain(NumberAfter(name, "chain"), spacingM);
    }
    if (name.rfind("star", 0) == 0)
    {
        return Star(NumberAfter(name, "star"));
    }
    if (name.rfind("duplex", 0) == 0)
    {
        return Duplex(NumberAfter(name, "duplex"));
    }
    if (name == "hidden")
    {
        Shape shape = Chain(2, spacingM);
        shape.paths = {{0, 1}, {2, 1}};
        return shape;
    }
    if (name == "crossing")
    {
        // West, north, centre, south, east.
        Shape shape = Grid(3, 3, spacingM, {{3, 4, 5}, {1, 4, 7}});
        return shape;
    }
    if (name == "stack")
    {
        return Grid(3, 3, spacingM, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
    }
    NS_ABORT_MSG_IF(name != "grid3x3", "no shape " << name);
    return Grid(3, 3, spacingM, {{0, 1, 2}, {1, 4, 7}, {8, 7, 6}});
}
