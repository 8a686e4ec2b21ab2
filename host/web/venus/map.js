// The board: 268 spaces where they stand on the map, the links between them, the systems they belong to. Facts of the game;
// a test holds them against core's own table.

// A space: name, kind, x, y, and the port in its orbit. Kinds: dots b, y, r; penalties with their sum (Y30); a asteroid,
// q ? box, c city, s space city. A star: a navigation circle.
const SPACES = `Rumble City,c,58,100
Rain City,c,72,67
trp_loop_1,b,36,124,Rumbleport
trp_loop_2,b,20,89
trp_loop_3,b,33,54
trp_loop_4,b,70,34,Rainfall
trp_loop_5,b,105,48
trp_loop_6,r,134,74
trp_loop_7,B10,165,103
trp_loop_8,R10,172,141
trp_loop_9,B10,152,170
trp_loop_10,Y10,102,171
trp_loop_11,r,68,150
trp_dw_1,y,174,75
trp_dw_2,b,215,79
trp_dw_3,r,256,81
trp_dw_4,b,294,86
trp_dw_5,y,331,90
trp_dw_6,b,371,92
trp_ib_1,y,203,150
trp_ib_2,b,236,156
trp_ib_3,r,275,164
Desolation City,c,442,56
Dry City,c,471,58
dw_loop_1,b,416,56,Desolation Landing
dw_loop_2,b,439,21
dw_loop_3,q,478,26
dw_loop_4,b,500,54,Dryport
dw_loop_5,a,504,78
dw_loop_6,y,503,117
dw_loop_7,r,470,150
dw_loop_8,b,430,137
dw_loop_9,r,419,96
Smoke Ring,s,364,218
ib_loop_1,b,334,248
ib_loop_2,y,316,228
ib_loop_3,r,304,205
ib_loop_4,b,312,170,Bypass
ib_loop_5,r,336,151
ib_loop_6,b,366,151
ib_loop_7,y,390,172
ib_loop_8,r,402,198
ib_loop_9,b,412,223
ib_loop_10,y,413,256
ib_loop_11,b,385,276
ib_loop_12,r,356,271
dw_sn_1,r,542,71
dw_sn_2,b,580,68
ib_gb_1,b,360,312
ib_gb_2,r,366,350
ib_gb_3,y,370,388
Galactic Base,s,378,438
trp_jw_1,b,72,197
trp_jw_2,y,72,239
trp_jw_3,b,73,284
trp_jw_4,r,74,329
trp_jw_5,b,76,374
trp_jw_6,y,78,418
trp_jw_7,b,78,463
Jellybeast City,c,44,564
Jewelburg,c,52,537
jw_loop_1,b,21,576,Jellybeast Landing
jw_loop_2,b,20,538
jw_loop_3,b,40,516,Jewelport
jw_loop_4,r,82,510
jw_loop_5,q,118,508
jw_loop_6,y,152,534
jw_loop_7,b,144,569
jw_loop_8,q,104,588
jw_loop_9,a,53,600
jw_ip_1,y,55,650
jw_ip_2,r,56,693
jw_ip_3,b,58,730
jw_ip_4,y,60,770
Hoth Base,c,58,882
ip_loop_1,b,35,900,Ice Station
ip_loop_2,a,34,854
ip_loop_3,r,64,816
ip_loop_4,q,95,784
ip_loop_5,r,146,772
ip_loop_6,a,174,806
ip_loop_7,r,156,854
ip_loop_8,b,110,888
ip_loop_9,q,73,910
ip_as_1,y,154,886
ip_as_2,b,197,883
ip_as_3,r,246,880
ip_as_4,b,286,876
ip_as_5,r,332,870
ip_as_6,y,378,866
jw_sg_1,r,168,594
jw_sg_2,b,194,620
gb_cw_1,r,334,424
gb_cw_2,b,308,414
gb_cw_3,y,280,406
gb_cw_4,b,252,396
Shoemaker Levee,c,154,412
Southern Comfort,c,154,390
cw_loop_1,b,150,438,Cobbleport
cw_loop_2,b,118,412
cw_loop_3,b,123,374
cw_loop_4,b,158,362,Comfort Station
cw_loop_5,b,196,368
cw_loop_6,r,223,387
cw_loop_7,b,218,420
cw_loop_8,r,189,434
sg_loop_1,Y10,224,646
sg_loop_2,R10,281,658
sg_loop_3,B10,295,702
sg_loop_4,R10,270,736
sg_loop_5,B10,204,724
sg_loop_6,R10,194,680
sg_as_1,b,301,762
sg_as_2,y,328,788
sg_as_3,b,355,808
sg_as_4,r,382,829
cloud_wing_1,r,860,216
cloud_wing_2,b*,852,287
cloud_wing_3,q,821,340
cloud_wing_4,b*,782,396
cloud_body_1,b*,666,380,Shuttlestop
cloud_body_2,q,604,412
cloud_body_3,s,557,435
cloud_body_4,q,510,415
cloud_body_5,q,617,337
cloud_body_6,b*,565,293
cloud_body_7,b*,475,303
cloud_body_8,b*,434,385
cloud_north_1,q,568,236
cloud_north_2,b*,568,176
cloud_north_3,r,618,212
cloud_south_1,r,594,461
cloud_south_2,y,626,484
ib_cloud_1,r,435,253
dw_cloud_1,r,524,137
Terror Town,c,930,834
Titantown,c,926,868
WTS_loop_1,b,952,809,Terror Station
WTS_loop_2,q,973,855
WTS_loop_3,b,942,898,Titan's Tower
WTS_loop_4,B10,904,902
WTS_loop_5,q,865,870
WTS_loop_6,Y10,836,832
WTS_loop_7,r,822,788
WTS_loop_8,a,844,754
WTS_loop_9,q,896,764
WTS_loop_10,R20,924,784
WTS_PP_01,y,919,744
WTS_PP_02,b,917,703
WTS_PP_03,r,914,662
WTS_PP_04,b,913,622
WTS_PP_05,y,910,579
WTS_PP_06,b,907,538
Paint Place,c,956,450
Poison Park,c,943,474
PP_loop_01,b,983,438,Paintfall
PP_loop_02,b,982,480
PP_loop_03,b,946,507,Poison Port
PP_loop_04,r,905,500
PP_loop_05,q,866,491
PP_loop_06,y,834,456
PP_loop_07,b,845,425
PP_loop_08,r,894,411
PP_loop_09,q,945,406
PP_IM_01,b,900,364
PP_IM_02,y,906,318
PP_IM_03,b,914,271
PP_IM_04,r,918,224
PP_IM_05,b,926,180
Moonview,c,930,68
Minyan,c,914,51
IM_loop_01,b,959,95,Moonport
IM_loop_02,y,931,130
IM_loop_03,q,904,154
IM_loop_04,y,864,172
IM_loop_05,r,822,134
IM_loop_06,a,844,82
IM_loop_07,r,868,52
IM_loop_08,b,894,28,Minion
IM_loop_09,b,933,20
IM_loop_10,q,963,50
IM_SN_01,b,825,53
IM_SN_02,y,784,56
IM_SN_03,b,745,60
SN_loop_01,R30,708,62
SN_loop_02,B30,686,99
SN_loop_03,R30,646,100
SN_loop_04,Y30,624,61
SN_loop_05,R30,644,28
SN_loop_06,B30,688,27
SN_WW_01,r,694,152
Whale Watch,c,760,230
Wet Willy,c,748,252
WW_loop_01,b,790,216,Whaleport
WW_loop_02,a,794,258
WW_loop_03,b,756,292,Wet Landing
WW_loop_04,r,724,314
WW_loop_05,y,682,299
WW_loop_06,b,678,251
WW_loop_07,y,704,202
WW_loop_08,q,750,186
WW_cloud_01,y,648,232
WW_MGS_01,b,723,356
WW_MGS_02,r,722,398
WW_MGS_03,b,720,438
WW_MGS_04,y,719,480
MGS_loop_1,b*,718,550,Neutron Port
MGS_loop_2,R20,781,570
MGS_loop_3,s,787,622
MGS_loop_4,b*,714,656
MGS_loop_5,a,678,596
MGS_cloud_01,r,660,508
MGS_GP_01,r,648,652
MGS_GP_02,y,615,651
MGS_GP_03,r,582,650
Grand Jetee,c,512,650
Great Scott,c,498,670
Levitown,c,468,656
GP_loop_01,b,537,648,Grandport
GP_loop_02,b,532,673
GP_loop_03,b,510,694,Greathome
GP_loop_04,b,468,698
GP_loop_05,b,440,664,Goliath
GP_loop_06,b,446,622
GP_loop_07,r,460,578
GP_loop_08,q,508,554
GP_loop_09,y,536,591
GP_CW_01,r,410,597
GP_CW_02,b,379,574
GP_CW_03,y,347,552
GP_CW_04,b,316,530
GP_CW_05,r,286,507
GP_CW_06,b,254,484
GP_CW_07,y,222,460
GP_SG_01,r,402,672
GP_SG_02,b,366,683
GP_SG_03,y,334,692
MGS_WTS_01,y,760,694
MGS_WTS_02,b,788,716
MGS_WTS_03,r,816,736
WTS_AS_01,r,824,866
WTS_AS_02,b,787,865
WTS_AS_03,y,752,862
AS_1_1,r,714,820
AS_1_2,b,714,856,Airhome
AS_2_1,B20,676,797
AS_2_2,a,678,838
AS_2_3,r,677,877
AS_3_1,s,644,777
AS_3_2,R10,643,816
AS_3_3,Y20,642,858
AS_3_4,q,640,900
AS_4_1,q,609,755
AS_4_3,a,606,836
AS_4_4,R30,604,880
AS_5_2,Y10,568,776
AS_5_3,B40,567,817
AS_5_4,a,566,860
AS_5_5,q,567,902
AS_6_3,s,531,798
AS_6_4,q,530,838
AS_6_5,y,530,880
AS_7_4,B30,492,820
AS_7_5,R20,492,858
AS_7_6,q,492,898
AS_8_5,a,456,838
AS_8_6,y,456,878
AS_9_6,b,420,858,Aerie`;

// Links between spaces by number (to the base of 36); ~ can only be flown. Behind colons the pilot numbers there and back.
const LINKS = `0~1 0-2 1-5 2-c 2-3 3-4 4-5 5-6 6-7 7-d 7-8 8-9 9-j 9-a a-b b-c c-1g d-e e-f f-g g-h h-i i-w j-k k-l l-11 m~n m-o n-r o-w o-p p-q q-r r-s s-1a s-t t-3q t-u u-v v-w x-y x-15 y-19 y-z z-10 10-11 11-12 12-13 13-14 14-15 15-16 16-3p 16-17 17-18 18-19 19-1c 1a-1b 1b-57 1c-1d 1d-1e 1e-1f 1f-3j::2 1f-2k 1g-1h 1h-1i 1i-1j 1j-1k 1k-1l 1l-1m 1m-1s 1n~1o 1n-1p 1o-1r 1p-1x 1p-1q 1q-1r 1r-1s 1s-1t 1t-1u 1u-1v 1v-2i 1v-1w 1w-1x 1x-1y 1y-1z 1z-20 20-21 21-25 22-23 23-2b 23-24 24-25 25-26 26-27 27-28 28-29 29-2a 2a-2c 2a-2b 2c-2d 2d-2e 2e-2f 2f-2g 2g-2h 2h-7f 2i-2j 2j-2y 2k-2l 2l-2m 2m-2n 2n-2v 2o~2p 2o-2q 2p-2t 2q-2x 2q-2r 2r-2s 2s-2t 2t-2u 2u-2v 2v-2w 2w-2x 2x-6h 2y-33 2y-2z 2z-30 30-6k 30-31 31-34 31-32 32-33 34-35 35-36 36-37 37-7f 38-39::4 38-4u 39-5e:36: 39-3a:125: 3a-3b::46 3b-4h:5: 3b-3c:123:45 3c-3d:16: 3c-3g:23: 3d-3e 3e-3f 3e-3n 3f-3j::1456 3g-3h::15 3h-3i:2:345 3h-3k:346: 3i-3j:16:3 3i-3p:2: 3k-3l::125 3l-3q:3: 3l-3m:46: 3m-5l 3n-3o 3o-5v 3r~3s 3r-3t 3s-3v 3t-42 3t-3u 3u-3v 3v-3w 3w-3x 3x-6o 3x-3y 3y-3z 3z-40 40-6n 40-41 41-42 42-43 43-44 44-45 45-46 46-47 47-48 48-4e 49-4b 49~4a 4a-4d 4b-4j 4b-4c 4c-4d 4d-4e 4e-4f 4f-4g 4g-4h 4h-4i 4i-4k 4i-4j 4k-4l 4l-4m 4m-4n 4n-4o 4o-4s 4p~4q 4p-4r 4q-4y 4r-50 4r-4s 4s-4t 4t-4u 4u-4v 4v-4w 4w-4x 4x-51 4x-4y 4y-4z 4z-50 51-52 52-53 53-54 54-59 54-55 55-5a 55-56 56-57 57-58 58-59 5a-5j 5b~5c 5b-5d 5c-5f 5d-5k 5d-5e 5e-5f 5f-5g 5g-5m 5g-5h 5h-5i 5i-5l 5i-5j 5j-5k 5m-5n 5n-5o 5o-5p 5p-5q::34 5q-5v:25: 5q-5r:6: 5q-5u:1: 5r-5s 5s-5t::45 5t-6l:6: 5t-5w:1: 5t-5u:23: 5w-5x 5x-5y 5y-62 5z~60 5z~61 5z-62 60~61 60-64 61-66 62-6a 62-63 63-64 64-65 65-66 66-6i 66-67 67-6b 67-68 68-69 69-6a 6b-6c 6c-6d 6d-6e 6e-6f 6f-6g 6g-6h 6i-6j 6j-6k 6l-6m 6m-6n 6o-6p 6p-6q 6q-6s 6r-6s 6r-6u 6r-6t 6s-6u 6s-6v 6t-6u 6t-6x 6t-6w 6u-6v 6u-6x 6u-6y 6v-6y 6v-6z 6w-6x 6w-70 6x-6y 6x-71 6y-6z 6y-72 6y-71 6z-72 70-73 71-72 71-75 71-74 72-75 72-76 73-74 73-77 74-75 74-78 74-77 75-76 75-79 75-78 76-79 77-78 77-7a 78-79 78-7b 78-7a 79-7b 79-7c 7a-7b 7a-7d 7b-7c 7b-7e 7b-7d 7c-7e 7d-7e 7d-7f 7e-7f`;

// A system or the way between two of them: its name, how many of the spaces are its, and what a system is.
const REGIONS = `Trapped Rogue Planet,13,world
trp-dw,6
trp-ib,3
Desert World,11,world
Interstellar Biosphere,13,world
dw_sn,2
ib_gb,3
Galactic Base,1,home
trp_jw,7
Jungle World,11,world
jw_ip,4
Ice Planet,10,world
ip_as,6
jw_sg,2
gb_cw,4
Colony World,10,world
Supergiant,6,star
sg_as,4
Space Station Planet,17,world
ib_cloud,1
dw_cloud,1
War-Torn System,12,world
WTS_PP,6
Polluted Planet,11,world
PP_IM,5
Inhabited Moon,12,world
IM_SN,3
Supernova,6,star
SN_WW,1
Water World,10,world
WW_cloud,1
WW_MGS,4
Multi- Generation Ship,5,world
MGS_cloud,1
MGS_GP,3
Giant Planet,12,world
GP_CW,7
GP_SG,3
MGS_WTS,3
WTS_AS,3
Asteroid System,25,world`;

// The map is drawn wider than it was measured: screens are wide, and so are names.
export const WIDER = 1.25;

const COLOURS = { b: "blue", y: "yellow", r: "red" };
const KINDS = { a: "asteroid", q: "box", c: "city", s: "spacecity" };

function space(text, id) {
  const [name, sign, x, y, port] = text.split(",");
  const [, letter, sum, star] = sign.match(/^(\w)(\d*)(\*?)$/);
  const colour = COLOURS[letter.toLowerCase()] ?? null;
  const kind = KINDS[letter] ?? (sum ? "penalty" : "dot");
  return { id, name, kind, colour, sum: Number(sum), x: WIDER * Number(x), y: Number(y), port, isCircle: star !== "", system: null };
}

export const spaces = SPACES.split("\n").map(space);
export const spaceNamed = new Map(spaces.map((space) => [space.name, space]));

export const links = LINKS.split(" ").map((text) => {
  const [, from, by, to, there = "", back = ""] = text.match(/^(\w+)([-~])(\w+)(?::(\d*):(\d*))?$/);
  return { from: spaces[parseInt(from, 36)], to: spaces[parseInt(to, 36)], isFly: by === "~", there, back };
});

// Systems by name: { name, kind ("world", "star", "home"), spaces }.
export const systems = new Map();
let first = 0;
for (const text of REGIONS.split("\n")) {
  const [name, count, kind] = text.split(",");
  const own = spaces.slice(first, (first += Number(count)));
  if (!kind) continue;
  const system = { name, kind, spaces: own };
  for (const space of own) space.system = system;
  systems.set(name, system);
}

// Steps from a space to every other, by the fewest links, whatever the dice say: for "how far is it".
export function distances(from) {
  const far = new Map([[from, 0]]);
  for (const at of far.keys()) {
    for (const next of neighbours.get(at)) if (!far.has(next)) far.set(next, far.get(at) + 1);
  }
  return far;
}

const neighbours = new Map(spaces.map((space) => [space, []]));
for (const { from, to, isFly } of links) {
  if (isFly) continue;
  neighbours.get(from).push(to);
  neighbours.get(to).push(from);
}
