// SPDX-License-Identifier: Apache-2.0
// A bracket of steel that holds a hot pipe and is bolted to a cold wall; lengths in centimetres.
//     gmsh -3 -format msh41 bracket.geo
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 6, 4, 0.8};
Box(2) = {0, 0, 0, 0.8, 4, 5};
Cylinder(3) = {4, 2, -1, 0, 0, 3, 0.6};    // the bolt
Cylinder(4) = {-1, 2, 3.2, 3, 0, 0, 1.0};  // the pipe
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanDifference(6) = { Volume{5}; Delete; }{ Volume{3, 4}; Delete; };

all() = Surface{:};
wall() = Surface In BoundingBox {-0.1, -0.1, -0.1, 6.1, 4.1, 0.1};
pipe() = Surface In BoundingBox {-0.1, 0.9, 2.1, 0.9, 3.1, 4.3};
all() -= wall();
all() -= pipe();
Physical Volume("steel") = {6};
Physical Surface("wall") = {wall()};
Physical Surface("pipe") = {pipe()};
Physical Surface("air") = {all()};

Mesh.MeshSizeMin = 0.45;
Mesh.MeshSizeMax = 0.6;
Mesh.MeshSizeFromCurvature = 12;
