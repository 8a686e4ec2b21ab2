// Made from core's message table by `cargo run -p parlor-tests --bin messages`; do not edit.
export const TABLE = `00C HANDSHAKE version:b
01S HANDSHAKE_ACKNOWLEDGE game:n
02C JOIN piece:b play:t name:s
03S WELCOME_DETAILS player:b password:n
04S WELCOME_PLAYER player:b piece:b name:s
05S WELCOME_OBSERVER player:b piece:b name:s
06S QUERY_JOIN_PLAY candidate:n name:s
07S QUERY_JOIN_OBSERVE candidate:n name:s
08C ACCEPT_JOIN candidate:n
09C REFUSE_JOIN candidate:n
0aC REJOIN player:b password:n
0bS WELCOME_BACK player:b piece:b name:s playing:t
0cS PLAYER_TAKEOVER new_player:b old_player:b
0dC SWITCH_PLAY
0eS OBSERVER_BECAME_PLAYER player:b
0fS JOIN_REFUSED candidate:n name:s
10S JOIN_PENDING
11C REQUEST_STATE
12S STATE_BOARD board:b
13S STATE_PLAYER player:b piece:b name:s square:b cash:n jail_turn:b
14S STATE_OBSERVER player:b piece:b name:s
15S STATE_PROPERTY property:b owner:b mortgaged:t houses:b hotels:b
16S STATE_CARD card:b owner:b
1fS STATE_POT cash:n
20S START_OF_TURN player:b may_throw:t
21C THROW_DICE
22S DICE_ROLLED player:b die1:b die2:b
23S THREE_DOUBLES player:b
24S DICE_MOVED_PLAYER player:b square:b total:b
25S CARD_MOVED_PLAYER player:b card:b square:b
26S SQUARE_MOVED_PLAYER player:b from_square:b square:b
27S PLAYER_PASSING_BY_SQUARE player:b square:b
28S PLAYER_LANDING_ON_SQUARE player:b square:b
29S GOING_TO_JAIL player:b square:b
2aS WAITING_FOR_TRANSACTION player:b transaction:n
2bC CLAIM_RENT debtor:b property:b
2cC CLAIM_GO square:b
2eS RENT_COLLECTION_MORATORIUM
2fS ROLL_AGAIN player:b
30S PROPERTY_SALE player:b property:b price:n
31C BUY_PROPERTY
32C AUCTION_PROPERTY
33S PROPERTY_AUCTION property:b
34C BID cash:n
35S PROPERTY_AUCTION_BID player:b cash:n
36C NO_BID
37S PROPERTY_AUCTION_NO_BID player:b
38S PROPERTY_AUCTION_WON player:b
39S PROPERTY_AUCTION_VOID
3bC MORTGAGE_PROPERTY property:b
3cC UNMORTGAGE_PROPERTY property:b
40S GOT_CARD player:b square:b card:b
41S CARD_COLLECT_OR_RETRY player:b
42C CARD_SELECT_COLLECT
43C CARD_SELECT_RETRY
45S TAX_SELECT_OPTION player:b square:b
46C TAX_PAY_TEN_PERCENT
47C TAX_PAY_FLAT_FEE
4aS JAIL_PAY_OR_ROLL player:b rolls_left:b may_build:t
4bC JAIL_PAY_BAIL
4cC JAIL_ROLL_DICE
4dS JAIL_FREE player:b
50C TRANSACTION_REQUEST_TRADE player:b
51S TRANSACTION_TRADE_REQUESTED transaction:n other:b
52S TRANSACTION_RENT_REQUESTED transaction:n other:b property:b creditor:b rent:n
53S TRANSACTION_CARD_REQUESTED transaction:n other:b card:b creditor:b amount:n
54S TRANSACTION_SQUARE_REQUESTED transaction:n square:b amount:n
55S TRANSACTION_BANK_REQUESTED transaction:n amount:n
56S TRANSACTION_JAIL_REQUESTED transaction:n amount:n
60C TRANSACTION_SET_CASH transaction:n cash:n
61S TRANSACTION_CASH_SET transaction:n cash:n
62S TRANSACTION_OTHER_CASH_SET transaction:n cash:n
63C TRANSACTION_ADD_PROPERTY transaction:n property:b
64C TRANSACTION_REMOVE_PROPERTY transaction:n property:b
65S TRANSACTION_PROPERTY_ADDED transaction:n property:b
66S TRANSACTION_PROPERTY_REMOVED transaction:n property:b
67S TRANSACTION_OTHER_PROPERTY_ADDED transaction:n property:b
68S TRANSACTION_OTHER_PROPERTY_REMOVED transaction:n property:b
69C TRANSACTION_ADD_CARD transaction:n card:b
6aC TRANSACTION_REMOVE_CARD transaction:n card:b
6bS TRANSACTION_CARD_ADDED transaction:n card:b
6cS TRANSACTION_CARD_REMOVED transaction:n card:b
6dS TRANSACTION_OTHER_CARD_ADDED transaction:n card:b
6eS TRANSACTION_OTHER_CARD_REMOVED transaction:n card:b
70C TRANSACTION_FINISH transaction:n
71S TRANSACTION_FINISHED transaction:n
72S TRANSACTION_OTHER_FINISHED transaction:n
73C TRANSACTION_REOPEN transaction:n
74S TRANSACTION_REOPENED transaction:n
75S TRANSACTION_OTHER_REOPENED transaction:n
76C TRANSACTION_AGREE transaction:n
77S TRANSACTION_AGREED transaction:n
78S TRANSACTION_OTHER_AGREED transaction:n
79S TRANSACTION_FINALISED transaction:n
7aC BANKRUPT_TRANSACTION transaction:n
7dS TRANSACTION_UNUSUAL transaction:n
7eC TRANSACTION_CANCEL transaction:n
7fS TRANSACTION_CANCELLED transaction:n
80S SQUARE_GIVES_CASH player:b square:b cash:n
81S SQUARE_TAKES_CASH player:b square:b cash:n
82S SQUARE_GIVES_CARD player:b square:b card:b
83S SQUARE_TAKES_CARD player:b square:b card:b
84S CONSTRUCTION_TAKES_CASH player:b cash:n
85S DESTRUCTION_GIVES_CASH player:b cash:n
86S PLAYER_CLAIMED_RENT creditor:b debtor:b property:b rent:n
87S PLAYER_CLAIMED_GO player:b square:b cash:n
90C PURCHASE_HOUSES lots:l
91S ERROR_HOUSES_NOT_OWNED property:b
92S ERROR_HOUSES_NEED_MONOPOLY property:b
93S ERROR_HOUSES_MORTGAGED property:b
94S ERROR_HOUSES_NOT_COLOUR_GROUP property:b
95S ERROR_HOUSES_NOT_YOUR_TURN
96S ERROR_HOUSES_TOO_EXPENSIVE cost:n
97S ERROR_HOUSES_NO_HOUSE_PIECES_LEFT houses:b hotels:b
98S ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER property:b
99S ERROR_HOUSES_UNBALANCED property:b
9aS ERROR_HOUSES_WOULD_REDUCE_NET_WORTH transaction:n
9bS ERROR_HOUSES_TERMITES
c0S DELTA_CASH from:b to:b cash:n
c1S DELTA_PROPERTY from:b to:b property:b
c2S DELTA_CARD from:b to:b card:b
c3S DELTA_HOUSES_PURCHASED player:b property:b houses:b hotels:b
c4S DELTA_BANK houses:b hotels:b
c5S DELTA_PROPERTY_MORTGAGED property:b
c6S DELTA_PROPERTY_UNMORTGAGED property:b
cfS DELTA_POT cash:n
d0S PING nonce:n
d1C PONG nonce:n
d2S LINK_DEAD player:b
d3C KICK player:b
d4C TRANSFER player:b
d5C AFK
daS PLAYER_BECAME_OBSERVER_TRANSFER player:b
dbS PLAYER_BECAME_OBSERVER_BANKRUPT player:b
dcS PLAYER_BECAME_OBSERVER_KICKED player:b
dfS PLAYER_WON player:b
e0S ERROR_INVALID_RENT_CLAIM
e1S ERROR_INVALID_GO_CLAIM
e2S ERROR_PROPERTY_TOO_EXPENSIVE property:b price:n
e3S ERROR_MORTGAGE_TOO_EXPENSIVE property:b cost:n
e4S ERROR_TRANSACTION_TOO_EXPENSIVE transaction:n cash:n
e5S ERROR_TRANSACTION_PROPERTY_NOT_OWNED transaction:n property:b
e6S ERROR_TRANSACTION_CARD_NOT_OWNED transaction:n card:b
e7S ERROR_TRANSACTION_NOT_SUITABLE transaction:n amount:n
e8S ERROR_TRANSACTION_PROPERTY_HAS_HOUSE transaction:n property:b
e9S ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH transaction:n blocking_transaction:n
eaS ERROR_TRANSACTION_NOT_BANKRUPT transaction:n earlier_transaction:n
ebS ERROR_TRANSACTION_CANNOT_BE_CANCELLED transaction:n
ecS ERROR_CANNOT_TRANSFER_DURING_TRANSACTION transaction:n
edS MONEY_BEING_HELD_IN_ESCROW player:b transaction:n cash:n
eeS ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH property:b transaction:n
f0S ERROR_UNKNOWN_PROTOCOL
f1S ERROR_TOO_MANY_USERS
f2S ERROR_NAME_IN_USE
f3S ERROR_NOT_WELCOME
f4S ERROR_WRONG_PASSWORD
fcX ERROR_INVALID_PAYLOAD code:b
fdX ERROR_UNPARSEABLE
feX ERROR_UNEXPECTED_MESSAGE code:b`;
