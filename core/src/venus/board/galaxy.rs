//! The galaxy: 268 spaces in 17 systems and 24 lines between them. The number of a row stands behind it.

use super::Kind::{Asteroid, City, Qbox, SpaceCity};
use super::pack::{Row, by, fly, name_bytes, names, qboxes, row, spots, text, to, way_count, ways};
use super::{Board, Kind, Lives, Region};
use crate::venus::pieces::Colour::{Blue, Red, Yellow};
use crate::venus::pieces::{Colour, PORTS, QBOXES};

const BLUE: Kind = Kind::Dot(Blue);
const YELLOW: Kind = Kind::Dot(Yellow);
const RED: Kind = Kind::Dot(Red);

const fn penalty(colour: Colour, sum: u8) -> Kind {
    Kind::Penalty(colour, sum)
}

const fn system(name: &'static str, first: u16, end: u16, lives: Lives) -> Region {
    Region { name, first, end, lives }
}

pub static GALAXY: Board = Board {
    spots: &spots(&ROWS),
    ways: &ways::<{ way_count(&ROWS) }>(&ROWS),
    names: text(&names::<{ name_bytes(&ROWS) }>(&ROWS)),
    regions: &REGIONS,
    qboxes: &qboxes::<QBOXES>(&ROWS),
    ports: &ORBITS,
};

/// The spaces where spaceports can be built, in the order of their deeds.
const ORBITS: [u16; PORTS] =
    [2, 5, 24, 27, 37, 61, 63, 75, 98, 101, 120, 137, 139, 155, 157, 171, 178, 193, 195, 206, 218, 220, 222, 244, 267];

#[rustfmt::skip]
static REGIONS: [Region; 17] = [
    system("Trapped Rogue Planet", 0, 13, Lives::Culture),
    system("Desert World", 22, 33, Lives::Culture),
    system("Interstellar Biosphere", 33, 46, Lives::Culture),
    system("Galactic Base", 51, 52, Lives::Base),
    system("Jungle World", 59, 70, Lives::Culture),
    system("Ice Planet", 74, 84, Lives::Culture),
    system("Colony World", 96, 106, Lives::Culture),
    system("Supergiant", 106, 112, Lives::Nobody),
    system("Space Station Planet", 116, 133, Lives::Culture),
    system("War-Torn System", 135, 147, Lives::Culture),
    system("Polluted Planet", 153, 164, Lives::Culture),
    system("Inhabited Moon", 169, 181, Lives::Culture),
    system("Supernova", 184, 190, Lives::Nobody),
    system("Water World", 191, 201, Lives::Culture),
    system("Multi- Generation Ship", 206, 211, Lives::Culture),
    system("Giant Planet", 215, 227, Lives::Culture),
    system("Asteroid System", 243, 268, Lives::Culture),
];

#[rustfmt::skip]
const ROWS: [Row; 268] = [
    // Trapped Rogue Planet
    row("Rumble City", City, &[fly(1), to(2)]), // 0
    row("Rain City", City, &[fly(0), to(5)]), // 1
    row("trp_loop_1", BLUE, &[to(0), to(12), to(3)]), // 2
    row("trp_loop_2", BLUE, &[to(2), to(4)]), // 3
    row("trp_loop_3", BLUE, &[to(3), to(5)]), // 4
    row("trp_loop_4", BLUE, &[to(1), to(4), to(6)]), // 5
    row("trp_loop_5", BLUE, &[to(5), to(7)]), // 6
    row("trp_loop_6", RED, &[to(13), to(6), to(8)]), // 7
    row("trp_loop_7", penalty(Blue, 10), &[to(7), to(9)]), // 8
    row("trp_loop_8", penalty(Red, 10), &[to(19), to(8), to(10)]), // 9
    row("trp_loop_9", penalty(Blue, 10), &[to(9), to(11)]), // 10
    row("trp_loop_10", penalty(Yellow, 10), &[to(10), to(12)]), // 11
    row("trp_loop_11", RED, &[to(52), to(11), to(2)]), // 12
    // A line.
    row("trp_dw_1", YELLOW, &[to(7), to(14)]), // 13
    row("trp_dw_2", BLUE, &[to(13), to(15)]), // 14
    row("trp_dw_3", RED, &[to(14), to(16)]), // 15
    row("trp_dw_4", BLUE, &[to(15), to(17)]), // 16
    row("trp_dw_5", YELLOW, &[to(16), to(18)]), // 17
    row("trp_dw_6", BLUE, &[to(17), to(32)]), // 18
    // A line.
    row("trp_ib_1", YELLOW, &[to(9), to(20)]), // 19
    row("trp_ib_2", BLUE, &[to(19), to(21)]), // 20
    row("trp_ib_3", RED, &[to(20), to(37)]), // 21
    // Desert World
    row("Desolation City", City, &[fly(23), to(24)]), // 22
    row("Dry City", City, &[fly(22), to(27)]), // 23
    row("dw_loop_1", BLUE, &[to(22), to(32), to(25)]), // 24
    row("dw_loop_2", BLUE, &[to(24), to(26)]), // 25
    row("dw_loop_3", Qbox, &[to(25), to(27)]), // 26
    row("dw_loop_4", BLUE, &[to(23), to(26), to(28)]), // 27
    row("dw_loop_5", Asteroid, &[to(46), to(27), to(29)]), // 28
    row("dw_loop_6", YELLOW, &[to(134), to(28), to(30)]), // 29
    row("dw_loop_7", RED, &[to(29), to(31)]), // 30
    row("dw_loop_8", BLUE, &[to(30), to(32)]), // 31
    row("dw_loop_9", RED, &[to(18), to(31), to(24)]), // 32
    // Interstellar Biosphere
    row("Smoke Ring", SpaceCity, &[to(34), to(41)]), // 33
    row("ib_loop_1", BLUE, &[to(33), to(45), to(35)]), // 34
    row("ib_loop_2", YELLOW, &[to(34), to(36)]), // 35
    row("ib_loop_3", RED, &[to(35), to(37)]), // 36
    row("ib_loop_4", BLUE, &[to(21), to(36), to(38)]), // 37
    row("ib_loop_5", RED, &[to(37), to(39)]), // 38
    row("ib_loop_6", BLUE, &[to(38), to(40)]), // 39
    row("ib_loop_7", YELLOW, &[to(39), to(41)]), // 40
    row("ib_loop_8", RED, &[to(33), to(40), to(42)]), // 41
    row("ib_loop_9", BLUE, &[to(133), to(41), to(43)]), // 42
    row("ib_loop_10", YELLOW, &[to(42), to(44)]), // 43
    row("ib_loop_11", BLUE, &[to(43), to(45)]), // 44
    row("ib_loop_12", RED, &[to(48), to(44), to(34)]), // 45
    // A line.
    row("dw_sn_1", RED, &[to(28), to(47)]), // 46
    row("dw_sn_2", BLUE, &[to(46), to(187)]), // 47
    // A line.
    row("ib_gb_1", BLUE, &[to(45), to(49)]), // 48
    row("ib_gb_2", RED, &[to(48), to(50)]), // 49
    row("ib_gb_3", YELLOW, &[to(49), to(51)]), // 50
    // Galactic Base
    row("Galactic Base", SpaceCity, &[to(50), to(127), to(92)]), // 51
    // A line.
    row("trp_jw_1", BLUE, &[to(12), to(53)]), // 52
    row("trp_jw_2", YELLOW, &[to(52), to(54)]), // 53
    row("trp_jw_3", BLUE, &[to(53), to(55)]), // 54
    row("trp_jw_4", RED, &[to(54), to(56)]), // 55
    row("trp_jw_5", BLUE, &[to(55), to(57)]), // 56
    row("trp_jw_6", YELLOW, &[to(56), to(58)]), // 57
    row("trp_jw_7", BLUE, &[to(57), to(64)]), // 58
    // Jungle World
    row("Jellybeast City", City, &[fly(60), to(61)]), // 59
    row("Jewelburg", City, &[fly(59), to(63)]), // 60
    row("jw_loop_1", BLUE, &[to(59), to(69), to(62)]), // 61
    row("jw_loop_2", BLUE, &[to(61), to(63)]), // 62
    row("jw_loop_3", BLUE, &[to(60), to(62), to(64)]), // 63
    row("jw_loop_4", RED, &[to(58), to(63), to(65)]), // 64
    row("jw_loop_5", Qbox, &[to(64), to(66)]), // 65
    row("jw_loop_6", YELLOW, &[to(65), to(67)]), // 66
    row("jw_loop_7", BLUE, &[to(90), to(66), to(68)]), // 67
    row("jw_loop_8", Qbox, &[to(67), to(69)]), // 68
    row("jw_loop_9", Asteroid, &[to(70), to(68), to(61)]), // 69
    // A line.
    row("jw_ip_1", YELLOW, &[to(69), to(71)]), // 70
    row("jw_ip_2", RED, &[to(70), to(72)]), // 71
    row("jw_ip_3", BLUE, &[to(71), to(73)]), // 72
    row("jw_ip_4", YELLOW, &[to(72), to(77)]), // 73
    // Ice Planet
    row("Hoth Base", City, &[to(75)]), // 74
    row("ip_loop_1", BLUE, &[to(74), to(83), to(76)]), // 75
    row("ip_loop_2", Asteroid, &[to(75), to(77)]), // 76
    row("ip_loop_3", RED, &[to(73), to(76), to(78)]), // 77
    row("ip_loop_4", Qbox, &[to(77), to(79)]), // 78
    row("ip_loop_5", RED, &[to(78), to(80)]), // 79
    row("ip_loop_6", Asteroid, &[to(79), to(81)]), // 80
    row("ip_loop_7", RED, &[to(80), to(82)]), // 81
    row("ip_loop_8", BLUE, &[to(84), to(81), to(83)]), // 82
    row("ip_loop_9", Qbox, &[to(82), to(75)]), // 83
    // A line.
    row("ip_as_1", YELLOW, &[to(82), to(85)]), // 84
    row("ip_as_2", BLUE, &[to(84), to(86)]), // 85
    row("ip_as_3", RED, &[to(85), to(87)]), // 86
    row("ip_as_4", BLUE, &[to(86), to(88)]), // 87
    row("ip_as_5", RED, &[to(87), to(89)]), // 88
    row("ip_as_6", YELLOW, &[to(88), to(267)]), // 89
    // A line.
    row("jw_sg_1", RED, &[to(67), to(91)]), // 90
    row("jw_sg_2", BLUE, &[to(90), to(106)]), // 91
    // A line.
    row("gb_cw_1", RED, &[to(51), to(93)]), // 92
    row("gb_cw_2", BLUE, &[to(92), to(94)]), // 93
    row("gb_cw_3", YELLOW, &[to(93), to(95)]), // 94
    row("gb_cw_4", BLUE, &[to(94), to(103)]), // 95
    // Colony World
    row("Shoemaker Levee", City, &[fly(97), to(98)]), // 96
    row("Southern Comfort", City, &[fly(96), to(101)]), // 97
    row("cw_loop_1", BLUE, &[to(96), to(105), to(99)]), // 98
    row("cw_loop_2", BLUE, &[to(98), to(100)]), // 99
    row("cw_loop_3", BLUE, &[to(99), to(101)]), // 100
    row("cw_loop_4", BLUE, &[to(97), to(100), to(102)]), // 101
    row("cw_loop_5", BLUE, &[to(101), to(103)]), // 102
    row("cw_loop_6", RED, &[to(95), to(102), to(104)]), // 103
    row("cw_loop_7", BLUE, &[to(103), to(105)]), // 104
    row("cw_loop_8", RED, &[to(233), to(104), to(98)]), // 105
    // Supergiant
    row("sg_loop_1", penalty(Yellow, 10), &[to(91), to(111), to(107)]), // 106
    row("sg_loop_2", penalty(Red, 10), &[to(106), to(108)]), // 107
    row("sg_loop_3", penalty(Blue, 10), &[to(236), to(107), to(109)]), // 108
    row("sg_loop_4", penalty(Red, 10), &[to(112), to(108), to(110)]), // 109
    row("sg_loop_5", penalty(Blue, 10), &[to(109), to(111)]), // 110
    row("sg_loop_6", penalty(Red, 10), &[to(110), to(106)]), // 111
    // A line.
    row("sg_as_1", BLUE, &[to(109), to(113)]), // 112
    row("sg_as_2", YELLOW, &[to(112), to(114)]), // 113
    row("sg_as_3", BLUE, &[to(113), to(115)]), // 114
    row("sg_as_4", RED, &[to(114), to(267)]), // 115
    // Space Station Planet
    row("cloud_wing_1", RED, &[to(117), to(174)]), // 116
    row("cloud_wing_2", BLUE, &[by(4, 116), by(36, 194), by(125, 118)]), // 117
    row("cloud_wing_3", Qbox, &[to(117), to(119)]), // 118
    row("cloud_wing_4", BLUE, &[by(46, 118), by(5, 161), by(123, 120)]), // 119
    row("cloud_body_1", BLUE, &[by(45, 119), by(16, 121), by(23, 124)]), // 120
    row("cloud_body_2", Qbox, &[to(120), to(122)]), // 121
    row("cloud_body_3", SpaceCity, &[to(121), to(123), to(131)]), // 122
    row("cloud_body_4", Qbox, &[to(122), to(127)]), // 123
    row("cloud_body_5", Qbox, &[to(120), to(125)]), // 124
    row("cloud_body_6", BLUE, &[by(15, 124), by(2, 126), by(346, 128)]), // 125
    row("cloud_body_7", BLUE, &[by(345, 125), by(16, 127), by(2, 133)]), // 126
    row("cloud_body_8", BLUE, &[by(1456, 123), by(2, 51), by(3, 126)]), // 127
    row("cloud_north_1", Qbox, &[to(125), to(129)]), // 128
    row("cloud_north_2", BLUE, &[by(125, 128), by(3, 134), by(46, 130)]), // 129
    row("cloud_north_3", RED, &[to(129), to(201)]), // 130
    row("cloud_south_1", RED, &[to(122), to(132)]), // 131
    row("cloud_south_2", YELLOW, &[to(131), to(211)]), // 132
    // A line.
    row("ib_cloud_1", RED, &[to(42), to(126)]), // 133
    // A line.
    row("dw_cloud_1", RED, &[to(29), to(129)]), // 134
    // War-Torn System
    row("Terror Town", City, &[fly(136), to(137)]), // 135
    row("Titantown", City, &[fly(135), to(139)]), // 136
    row("WTS_loop_1", BLUE, &[to(135), to(146), to(138)]), // 137
    row("WTS_loop_2", Qbox, &[to(137), to(139)]), // 138
    row("WTS_loop_3", BLUE, &[to(136), to(138), to(140)]), // 139
    row("WTS_loop_4", penalty(Blue, 10), &[to(139), to(141)]), // 140
    row("WTS_loop_5", Qbox, &[to(240), to(140), to(142)]), // 141
    row("WTS_loop_6", penalty(Yellow, 10), &[to(141), to(143)]), // 142
    row("WTS_loop_7", RED, &[to(142), to(144)]), // 143
    row("WTS_loop_8", Asteroid, &[to(239), to(143), to(145)]), // 144
    row("WTS_loop_9", Qbox, &[to(144), to(146)]), // 145
    row("WTS_loop_10", penalty(Red, 20), &[to(147), to(145), to(137)]), // 146
    // A line.
    row("WTS_PP_01", YELLOW, &[to(146), to(148)]), // 147
    row("WTS_PP_02", BLUE, &[to(147), to(149)]), // 148
    row("WTS_PP_03", RED, &[to(148), to(150)]), // 149
    row("WTS_PP_04", BLUE, &[to(149), to(151)]), // 150
    row("WTS_PP_05", YELLOW, &[to(150), to(152)]), // 151
    row("WTS_PP_06", BLUE, &[to(151), to(158)]), // 152
    // Polluted Planet
    row("Paint Place", City, &[to(155), fly(154)]), // 153
    row("Poison Park", City, &[to(157), fly(153)]), // 154
    row("PP_loop_01", BLUE, &[to(153), to(163), to(156)]), // 155
    row("PP_loop_02", BLUE, &[to(155), to(157)]), // 156
    row("PP_loop_03", BLUE, &[to(154), to(156), to(158)]), // 157
    row("PP_loop_04", RED, &[to(152), to(157), to(159)]), // 158
    row("PP_loop_05", Qbox, &[to(158), to(160)]), // 159
    row("PP_loop_06", YELLOW, &[to(159), to(161)]), // 160
    row("PP_loop_07", BLUE, &[to(119), to(160), to(162)]), // 161
    row("PP_loop_08", RED, &[to(164), to(161), to(163)]), // 162
    row("PP_loop_09", Qbox, &[to(162), to(155)]), // 163
    // A line.
    row("PP_IM_01", BLUE, &[to(162), to(165)]), // 164
    row("PP_IM_02", YELLOW, &[to(164), to(166)]), // 165
    row("PP_IM_03", BLUE, &[to(165), to(167)]), // 166
    row("PP_IM_04", RED, &[to(166), to(168)]), // 167
    row("PP_IM_05", BLUE, &[to(167), to(172)]), // 168
    // Inhabited Moon
    row("Moonview", City, &[fly(170), to(171)]), // 169
    row("Minyan", City, &[fly(169), to(178)]), // 170
    row("IM_loop_01", BLUE, &[to(169), to(180), to(172)]), // 171
    row("IM_loop_02", YELLOW, &[to(168), to(171), to(173)]), // 172
    row("IM_loop_03", Qbox, &[to(172), to(174)]), // 173
    row("IM_loop_04", YELLOW, &[to(116), to(173), to(175)]), // 174
    row("IM_loop_05", RED, &[to(174), to(176)]), // 175
    row("IM_loop_06", Asteroid, &[to(175), to(177)]), // 176
    row("IM_loop_07", RED, &[to(181), to(176), to(178)]), // 177
    row("IM_loop_08", BLUE, &[to(170), to(177), to(179)]), // 178
    row("IM_loop_09", BLUE, &[to(178), to(180)]), // 179
    row("IM_loop_10", Qbox, &[to(179), to(171)]), // 180
    // A line.
    row("IM_SN_01", BLUE, &[to(177), to(182)]), // 181
    row("IM_SN_02", YELLOW, &[to(181), to(183)]), // 182
    row("IM_SN_03", BLUE, &[to(182), to(184)]), // 183
    // Supernova
    row("SN_loop_01", penalty(Red, 30), &[to(183), to(189), to(185)]), // 184
    row("SN_loop_02", penalty(Blue, 30), &[to(190), to(184), to(186)]), // 185
    row("SN_loop_03", penalty(Red, 30), &[to(185), to(187)]), // 186
    row("SN_loop_04", penalty(Yellow, 30), &[to(47), to(186), to(188)]), // 187
    row("SN_loop_05", penalty(Red, 30), &[to(187), to(189)]), // 188
    row("SN_loop_06", penalty(Blue, 30), &[to(188), to(184)]), // 189
    // A line.
    row("SN_WW_01", RED, &[to(185), to(199)]), // 190
    // Water World
    row("Whale Watch", City, &[fly(192), to(193)]), // 191
    row("Wet Willy", City, &[fly(191), to(195)]), // 192
    row("WW_loop_01", BLUE, &[to(191), to(200), to(194)]), // 193
    row("WW_loop_02", Asteroid, &[to(117), to(193), to(195)]), // 194
    row("WW_loop_03", BLUE, &[to(192), to(194), to(196)]), // 195
    row("WW_loop_04", RED, &[to(202), to(195), to(197)]), // 196
    row("WW_loop_05", YELLOW, &[to(196), to(198)]), // 197
    row("WW_loop_06", BLUE, &[to(201), to(197), to(199)]), // 198
    row("WW_loop_07", YELLOW, &[to(190), to(198), to(200)]), // 199
    row("WW_loop_08", Qbox, &[to(199), to(193)]), // 200
    // A line.
    row("WW_cloud_01", YELLOW, &[to(198), to(130)]), // 201
    // A line.
    row("WW_MGS_01", BLUE, &[to(196), to(203)]), // 202
    row("WW_MGS_02", RED, &[to(202), to(204)]), // 203
    row("WW_MGS_03", BLUE, &[to(203), to(205)]), // 204
    row("WW_MGS_04", YELLOW, &[to(204), to(206)]), // 205
    // Multi- Generation Ship
    row("MGS_loop_1", BLUE, &[by(34, 205), by(25, 211), by(6, 207), by(1, 210)]), // 206
    row("MGS_loop_2", penalty(Red, 20), &[to(206), to(208)]), // 207
    row("MGS_loop_3", SpaceCity, &[to(207), to(209)]), // 208
    row("MGS_loop_4", BLUE, &[by(45, 208), by(6, 237), by(1, 212), by(23, 210)]), // 209
    row("MGS_loop_5", Asteroid, &[to(209), to(206)]), // 210
    // A line.
    row("MGS_cloud_01", RED, &[to(206), to(132)]), // 211
    // A line.
    row("MGS_GP_01", RED, &[to(209), to(213)]), // 212
    row("MGS_GP_02", YELLOW, &[to(212), to(214)]), // 213
    row("MGS_GP_03", RED, &[to(213), to(218)]), // 214
    // Giant Planet
    row("Grand Jetee", City, &[fly(216), fly(217), to(218)]), // 215
    row("Great Scott", City, &[fly(215), fly(217), to(220)]), // 216
    row("Levitown", City, &[fly(215), fly(216), to(222)]), // 217
    row("GP_loop_01", BLUE, &[to(215), to(214), to(226), to(219)]), // 218
    row("GP_loop_02", BLUE, &[to(218), to(220)]), // 219
    row("GP_loop_03", BLUE, &[to(216), to(219), to(221)]), // 220
    row("GP_loop_04", BLUE, &[to(220), to(222)]), // 221
    row("GP_loop_05", BLUE, &[to(217), to(234), to(221), to(223)]), // 222
    row("GP_loop_06", BLUE, &[to(227), to(222), to(224)]), // 223
    row("GP_loop_07", RED, &[to(223), to(225)]), // 224
    row("GP_loop_08", Qbox, &[to(224), to(226)]), // 225
    row("GP_loop_09", YELLOW, &[to(225), to(218)]), // 226
    // A line.
    row("GP_CW_01", RED, &[to(223), to(228)]), // 227
    row("GP_CW_02", BLUE, &[to(227), to(229)]), // 228
    row("GP_CW_03", YELLOW, &[to(228), to(230)]), // 229
    row("GP_CW_04", BLUE, &[to(229), to(231)]), // 230
    row("GP_CW_05", RED, &[to(230), to(232)]), // 231
    row("GP_CW_06", BLUE, &[to(231), to(233)]), // 232
    row("GP_CW_07", YELLOW, &[to(232), to(105)]), // 233
    // A line.
    row("GP_SG_01", RED, &[to(222), to(235)]), // 234
    row("GP_SG_02", BLUE, &[to(234), to(236)]), // 235
    row("GP_SG_03", YELLOW, &[to(235), to(108)]), // 236
    // A line.
    row("MGS_WTS_01", YELLOW, &[to(209), to(238)]), // 237
    row("MGS_WTS_02", BLUE, &[to(237), to(239)]), // 238
    row("MGS_WTS_03", RED, &[to(238), to(144)]), // 239
    // A line.
    row("WTS_AS_01", RED, &[to(141), to(241)]), // 240
    row("WTS_AS_02", BLUE, &[to(240), to(242)]), // 241
    row("WTS_AS_03", YELLOW, &[to(241), to(244)]), // 242
    // Asteroid System
    row("AS_1_1", RED, &[to(244), to(246), to(245)]), // 243
    row("AS_1_2", BLUE, &[to(242), to(243), to(246), to(247)]), // 244
    row("AS_2_1", penalty(Blue, 20), &[to(243), to(246), to(249), to(248)]), // 245
    row("AS_2_2", Asteroid, &[to(243), to(244), to(245), to(247), to(249), to(250)]), // 246
    row("AS_2_3", RED, &[to(244), to(246), to(250), to(251)]), // 247
    row("AS_3_1", SpaceCity, &[to(245), to(249), to(252)]), // 248
    row("AS_3_2", penalty(Red, 10), &[to(248), to(245), to(246), to(250), to(253)]), // 249
    row("AS_3_3", penalty(Yellow, 20), &[to(249), to(246), to(247), to(251), to(254), to(253)]), // 250
    row("AS_3_4", Qbox, &[to(247), to(250), to(254)]), // 251
    row("AS_4_1", Qbox, &[to(248), to(255)]), // 252
    row("AS_4_3", Asteroid, &[to(249), to(250), to(254), to(257), to(256)]), // 253
    row("AS_4_4", penalty(Red, 30), &[to(251), to(250), to(253), to(257), to(258)]), // 254
    row("AS_5_2", penalty(Yellow, 10), &[to(252), to(256), to(259)]), // 255
    row("AS_5_3", penalty(Blue, 40), &[to(253), to(257), to(260), to(259), to(255)]), // 256
    row("AS_5_4", Asteroid, &[to(256), to(253), to(254), to(258), to(261), to(260)]), // 257
    row("AS_5_5", Qbox, &[to(254), to(257), to(261)]), // 258
    row("AS_6_3", SpaceCity, &[to(255), to(256), to(260), to(262)]), // 259
    row("AS_6_4", Qbox, &[to(259), to(256), to(257), to(261), to(263), to(262)]), // 260
    row("AS_6_5", YELLOW, &[to(258), to(257), to(260), to(263), to(264)]), // 261
    row("AS_7_4", penalty(Blue, 30), &[to(259), to(260), to(263), to(265)]), // 262
    row("AS_7_5", penalty(Red, 20), &[to(262), to(260), to(261), to(264), to(266), to(265)]), // 263
    row("AS_7_6", Qbox, &[to(261), to(263), to(266)]), // 264
    row("AS_8_5", Asteroid, &[to(262), to(263), to(266), to(267)]), // 265
    row("AS_8_6", YELLOW, &[to(264), to(263), to(265), to(267)]), // 266
    row("AS_9_6", BLUE, &[to(265), to(266), to(89), to(115)]), // 267
];
