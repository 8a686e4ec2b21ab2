-- A Wireshark dissector for the games of parlor. Made by `parlor dissector --lua`; do not edit.
--
-- Copy it to the folder that Help > About Wireshark > Folders calls Personal Lua Plugins, or try it at once:
--   tshark -X lua_script:parlor.lua -r FILE.pcap

-- The part that is the same for every protocol: cutting, fields, links between requests and answers, WebSocket.

-- What is known of streams, and of what was said in which packet. Packets are looked at in their order once, and then in
-- any order as often as somebody likes: what was found out the first time is kept.
local streams, packets = {}, {}

-- Both directions of a connection have one name. (The field tcp.stream is not there yet when packets are seen first.)
local function stream_of(pinfo)
  local one, other = pinfo.src_port .. "@" .. tostring(pinfo.src), pinfo.dst_port .. "@" .. tostring(pinfo.dst)
  local id = one < other and one .. " " .. other or other .. " " .. one
  streams[id] = streams[id] or {asked = {}, left = {}}
  return streams[id]
end

-- What was kept when this packet was seen first: whatever `make` gave then, one after the other.
local function recall(pinfo, make)
  local kept = packets[pinfo.number]
  if not kept then
    kept = {at = 0}
    packets[pinfo.number] = kept
  end
  if not pinfo.visited then
    kept[#kept + 1] = make()
    return kept[#kept]
  end
  if #kept == 0 then return make() end
  kept.at = kept.at % #kept + 1
  return kept[kept.at]
end

-- Which requests a message may answer, from which answers a request may have.
local function by_answer(answers)
  local requests = {}
  for request, list in pairs(answers) do
    for _, answer in ipairs(list) do
      requests[answer] = requests[answer] or {}
      requests[answer][request] = true
    end
  end
  return requests
end

-- The words of a line, as a POSIX shell splits them: {text, from, length} each, counted from 0.
local function split_words(line)
  local words, at = {}, 1
  while true do
    at = line:find("[^ \t\r]", at)
    if not at then return words end
    local from, text = at, {}
    while at <= #line and not line:find("^[ \t\r]", at) do
      local c = line:sub(at, at)
      if c == "'" then
        local stop = line:find("'", at + 1, true)
        if not stop then return nil end
        text[#text + 1] = line:sub(at + 1, stop - 1)
        at = stop + 1
      elseif c == '"' then
        at = at + 1
        while true do
          local d = line:sub(at, at)
          if d == "" then return nil end
          if d == '"' then break end
          if d == "\\" and line:find('^["\\]', at + 1) then
            at = at + 1
            d = line:sub(at, at)
          end
          text[#text + 1] = d
          at = at + 1
        end
        at = at + 1
      elseif c == "\\" then
        if at == #line then return nil end
        text[#text + 1] = line:sub(at + 1, at + 1)
        at = at + 2
      else
        text[#text + 1] = c
        at = at + 1
      end
    end
    words[#words + 1] = {text = table.concat(text), from = from - 1, length = at - from}
  end
end

-- The fields of a line between commas.
local function split_commas(line)
  local fields, from = {}, 1
  while true do
    local stop = line:find(",", from, true)
    local piece = line:sub(from, (stop or #line + 1) - 1)
    local text = piece:gsub("[%z\1-\31]", ""):gsub("%%([C%%])", function(c) return c == "C" and "," or "%" end)
    fields[#fields + 1] = {text = text, from = from - 1, length = #piece}
    if not stop then return fields end
    from = stop + 1
  end
end

local function number_within(text, least, most)
  local number = text:find("^-?%d+$") and #text < 16 and tonumber(text)
  if number and number >= least and number <= most then return number end
end

-- Makes a protocol known: `p` has its name, its title, framing, ports, greetings, answers, fields and messages.
local function parlor(p)
  local proto = Proto(p.name, p.title)
  local web = Proto(p.name .. "_ws", p.title .. " in a WebSocket")
  local f = {
    message = ProtoField.string(p.name .. ".message", "Message"),
    sender = ProtoField.string(p.name .. ".message.sender", "Sender"),
    code = ProtoField.uint8(p.name .. ".message.code", "Code", base.HEX, p.codes),
    length = ProtoField.uint8(p.name .. ".message.length", "Length"),
    tail = ProtoField.bytes(p.name .. ".message.tail", "Tail that is no part of the message"),
    tag = ProtoField.string(p.name .. ".message.tag", "Tag"),
    line = ProtoField.uint16(p.name .. ".message.document_line", "Line of the document"),
    request = ProtoField.framenum(p.name .. ".request_in", "Answers what was asked in", base.NONE, frametype.RESPONSE),
    answer = ProtoField.framenum(p.name .. ".answer_in", "Answered in", base.NONE, frametype.REQUEST),
    time = ProtoField.relative_time(p.name .. ".answer_time", "Time from request to answer"),
  }
  local all = {}
  for _, field in pairs(f) do all[#all + 1] = field end
  local fields = {}
  for _, field in ipairs(p.fields) do
    local filter, label, kind, names = p.name .. "." .. field[1], field[1], field[2], field[3]
    local made
    if kind == "number" then made = ProtoField.uint32(filter, label)
    elseif kind == "integer" then made = ProtoField.int64(filter, label)
    elseif kind == "byte" then made = ProtoField.uint8(filter, label, base.DEC, names)
    elseif kind == "delta" then made = ProtoField.int8(filter, label)
    elseif kind == "bool" then made = ProtoField.bool(filter, label)
    else made = ProtoField.string(filter, label, base.UNICODE) end
    fields[field[1]] = made
    all[#all + 1] = made
  end
  proto.fields = all
  local e = {
    malformed = ProtoExpert.new(p.name .. ".malformed", "Not as long or not of the kind that it should be",
      expert.group.MALFORMED, expert.severity.ERROR),
    unknown = ProtoExpert.new(p.name .. ".unknown", "No message is called so", expert.group.PROTOCOL, expert.severity.WARN),
    side = ProtoExpert.new(p.name .. ".wrong_side", "The other end's to send", expert.group.PROTOCOL, expert.severity.WARN),
    refused = ProtoExpert.new(p.name .. ".error", "Refused", expert.group.RESPONSE_CODE, expert.severity.NOTE),
  }
  proto.experts = {e.malformed, e.unknown, e.side, e.refused}

  local requests = by_answer(p.answers)
  local messages = {client = {}, server = {}, answer = {}}
  for _, message in ipairs(p.messages) do
    local by = message.by
    for _, side in ipairs(by == "either" and {"client", "server"} or {by}) do
      messages[side][message.code or message[1]] = message
      if message.also then messages[side][message.also] = message end
    end
  end

  -- Links a message with what it answers, and remembers it as something that may be answered.
  local function link(pinfo, node, said)
    local kept = recall(pinfo, function()
      local stream, entry = stream_of(pinfo), {number = pinfo.number, time = pinfo.rel_ts}
      local mine, theirs = said.by_client and "client" or "server", said.by_client and "server" or "client"
      local asked = stream.asked[theirs] or {}
      local wanted = requests[said.name] or {}
      local found
      for at, request in ipairs(asked) do
        local is_it
        if p.framing == "words" then is_it = said.is_answer and request.tag == said.tag
        elseif said.about then is_it = request.code == said.about
        else is_it = wanted[request.name] end
        if is_it then found = at break end
      end
      if not found and wanted["*"] and #asked > 0 then found = #asked end
      if found then
        entry.request = asked[found].entry
        entry.request.answer = entry
        -- They are answered in their order: what was asked before has had its answer.
        for _ = 1, p.unfinished[said.name] and found - 1 or found do table.remove(asked, 1) end
      end
      stream.asked[mine] = stream.asked[mine] or {}
      local list = stream.asked[mine]
      if p.framing ~= "words" or said.by_client then
        list[#list + 1] = {name = said.name, code = said.code, tag = said.tag, entry = entry}
        if #list > 64 then table.remove(list, 1) end
      end
      return entry
    end)
    if kept.request then
      node:add(f.request, kept.request.number):set_generated()
      node:add(f.time, NSTime.new(0, math.floor((kept.time - kept.request.time) * 1e9 + 0.5))):set_generated()
    end
    if kept.answer then node:add(f.answer, kept.answer.number):set_generated() end
  end

  -- Adds one value to the tree, and to the words that the list of packets shows.
  local function add(node, said, name, range, kind, value)
    local words = value
    if kind == "bool" then words = tostring(value) end
    node:add(fields[name], range, value)
    said.words[#said.words + 1] = name .. "=" .. tostring(words)
  end

  -- The values of a frame's payload. Gives where they end, or nil if the payload is too short.
  local function frame_fields(node, said, message, tvb)
    local at, stop = 2, tvb:len()
    local function one(name, kind)
      if kind == "number" then
        if at + 4 > stop then return false end
        add(node, said, name, tvb(at, 4), kind, tvb(at, 4):uint())
        at = at + 4
      else
        if at + 1 > stop then return false end
        local value = tvb(at, 1):uint()
        if kind == "bool" then value = value % 2 == 1 end
        if kind == "delta" then value = tvb(at, 1):int() end
        if kind == "code" then said.about = value end
        add(node, said, name, tvb(at, 1), kind, value)
        at = at + 1
      end
      return true
    end
    for _, field in ipairs(message.fields or {}) do
      local name, kind = field[1], field[2]
      if kind == "counted" then
        if at + 1 > stop then return nil end
        local count = tvb(at, 1):uint()
        if count > field.most or at + 1 + count > stop then return nil end
        local text = count > 0 and tvb(at + 1, count):string(ENC_UTF_8) or ""
        add(node, said, name, tvb(at, 1 + count), kind, text)
        at = at + 1 + count
      elseif kind == "list" then
        if at + 1 > stop then return nil end
        local count = tvb(at, 1):uint()
        at = at + 1
        for _ = 1, count do
          for _, part in ipairs(field.parts) do
            if not one(part[1], part[2]) then return nil end
          end
        end
      elseif not one(name, kind) then
        return nil
      end
    end
    return at
  end

  -- The values of a line; `words` from the one at `nth` on. False if one is missing or not what it should be.
  local function line_fields(node, said, message, tvb, words, nth)
    for _, field in ipairs(message.fields or {}) do
      local name, kind, word = field[1], field[2], words[nth]
      if kind == "words" then
        while words[nth] do
          add(node, said, name, tvb(words[nth].from, words[nth].length), kind, words[nth].text)
          nth = nth + 1
        end
      elseif kind == "rest" then
        local from = word and word.from or tvb:len()
        local text = word and tvb:raw(from):gsub("[\r\n]+$", "") or ""
        add(node, said, name, tvb(from, #text), kind, text)
        return true
      else
        local value
        if word then
          if kind == "named" then value = field.names[word.text:lower()]
          elseif kind == "integer" then value = number_within(word.text, field.least, field.most)
          elseif kind == "bool" then value = ({["1"] = true, ["0"] = false})[word.text]
          else value = word.text end
        end
        if value ~= nil then
          if kind == "integer" then value = Int64.new(value) end
          add(node, said, name, tvb(word.from, word.length), kind, value)
          nth = nth + 1
        elseif not field.optional then
          return false
        end
      end
    end
    return p.framing == "words" or nth == #words + 1
  end

  -- How long the message is that begins at `at` (from 1) of these bytes; nil and how many are missing, if known.
  local function cut(raw, at)
    if p.framing ~= "frames" then
      local stop = raw:find("\n", at, true)
      return stop and stop - at + 1
    end
    local length = raw:byte(at + 1)
    if not length then return nil end
    -- The document reserves this length: where such a frame ends can't be known.
    if length == 255 then return #raw - at + 1 end
    local missing = 2 + length - (#raw - at + 1)
    if missing > 0 then return nil, missing end
    return 2 + length
  end

  local function read_frame(node, said, tvb)
    said.code = tvb(0, 1):uint()
    node:add(f.code, tvb(0, 1))
    node:add(f.length, tvb(1, 1))
    local side = said.by_client and "client" or "server"
    local message = messages[side][said.code]
    local other = messages[said.by_client and "server" or "client"][said.code]
    if not message and other then node:add_proto_expert_info(e.side) end
    message = message or other
    if not message then return nil end
    local stop = tvb(1, 1):uint() < 255 and frame_fields(node, said, message, tvb)
    if not stop then node:add_proto_expert_info(e.malformed)
    elseif stop < tvb:len() then node:add(f.tail, tvb(stop)) end
    return message
  end

  local function read_line(node, said, tvb)
    local line = tvb:raw():gsub("[\r\n]+$", "")
    local words = (p.framing == "words" and split_words or split_commas)(line)
    if not words or (p.framing == "words" and #words == 0) then
      -- What can't be split may still have a tag, and is answered with it.
      said.tag = line:match("^[ \t]*(#%d+)[ \t]") or "-"
      node:add_proto_expert_info(e.malformed)
      return nil
    end
    local side, nth = said.by_client and "client" or "server", 1
    if p.framing == "words" then
      local first = words[1].text
      said.tag = "-"
      if (said.by_client and first:find("^#%d+$")) or (not said.by_client and first ~= "*") then
        said.tag = first
        node:add(f.tag, tvb(words[1].from, words[1].length), first)
        nth = 2
        if not said.by_client then side = "answer" end
      elseif not said.by_client then
        nth = 2
      end
      said.is_answer = side == "answer"
    end
    local name = words[nth] and words[nth].text
    local two = words[nth + 1] and #words == nth + 1 and name .. " " .. words[nth + 1].text
    local message = two and messages[side][two] or name and messages[side][name]
    if message then
      nth = nth + 1
    elseif name and messages[side][""] and name:find("^%d+$") then
      message = messages[side][""]
    end
    if message and not line_fields(node, said, message, tvb, words, nth) then
      node:add_proto_expert_info(e.malformed)
    end
    return message
  end

  -- One whole message.
  local function dissect(tvb, pinfo, tree, by_client)
    local said = {by_client = by_client, words = {}}
    local node = tree:add(proto, tvb())
    local message = (p.framing == "frames" and read_frame or read_line)(node, said, tvb)
    if message then
      said.name = message[1] ~= "" and message[1] or "number"
      node:add(f.message, tvb(), said.name)
      if message.line then node:add(f.line, message.line):set_generated() end
      if message.error then node:add_proto_expert_info(e.refused) end
    else
      node:add_proto_expert_info(e.unknown)
      said.name = "?"
    end
    node:add(f.sender, by_client and "client" or "server"):set_generated()
    link(pinfo, node, said)
    local words = said.name
    if #said.words > 0 then words = words .. " " .. table.concat(said.words, " ") end
    node:set_text(p.title .. ": " .. words)
    return words
  end

  -- Every whole message of these bytes. Gives where the rest begins, and how many bytes it lacks, if known.
  local function dissect_all(tvb, pinfo, tree, by_client)
    pinfo.cols.protocol = p.name:upper()
    local raw, at, told = tvb:raw(), 1, {}
    while at <= #raw do
      local length = cut(raw, at)
      if not length then break end
      local words = dissect(tvb(at - 1, length):tvb(), pinfo, tree, by_client)
      if #told < 8 then told[#told + 1] = words elseif #told == 8 then told[9] = "…" end
      at = at + length
    end
    if #told > 0 then
      pinfo.cols.info:clear()
      pinfo.cols.info:append(table.concat(told, "; "))
      pinfo.cols.info:fence()
    end
    local _, missing = cut(raw, at)
    return at - 1, missing
  end

  local function is_by_client(pinfo, stream)
    if not stream.server then
      local matched = pinfo.match_uint
      if matched == pinfo.src_port or matched == pinfo.dst_port then stream.server = matched
      else stream.server = math.min(pinfo.src_port, pinfo.dst_port) end
    end
    return pinfo.dst_port == stream.server
  end

  function proto.dissector(tvb, pinfo, tree)
    local rest, missing = dissect_all(tvb, pinfo, tree, is_by_client(pinfo, stream_of(pinfo)))
    if rest < tvb:len() then
      pinfo.desegment_offset = rest
      pinfo.desegment_len = missing or DESEGMENT_ONE_MORE_SEGMENT
    end
    return tvb:len()
  end

  -- A WebSocket message is a piece of the same stream: what is left of one is the beginning of the next.
  function web.dissector(tvb, pinfo, tree)
    local stream = stream_of(pinfo)
    local by_client = is_by_client(pinfo, stream)
    local side = by_client and "client" or "server"
    local left = recall(pinfo, function() return {bytes = stream.left[side] or ""} end).bytes
    local whole = tvb
    if left ~= "" then whole = ByteArray.new(left .. tvb:raw(), true):tvb(p.title .. ", in pieces") end
    local rest = dissect_all(whole, pinfo, tree, by_client)
    if not pinfo.visited then stream.left[side] = rest < whole:len() and whole:raw(rest) or "" end
    return tvb:len()
  end

  local function greets(tvb)
    local raw = tvb:raw()
    for _, greeting in ipairs(p.greetings) do
      if raw:sub(1, #greeting[2]) == greeting[2] then return greeting end
    end
  end

  -- Anywhere else, a stream is known by how it begins.
  local function guess(dissector, take)
    return function(tvb, pinfo, tree)
      local stream = stream_of(pinfo)
      local greeting = stream.protocol == nil and greets(tvb)
      if greeting then
        stream.protocol = p.name
        stream.server = greeting[1] == "client" and pinfo.dst_port or pinfo.src_port
      end
      if stream.protocol ~= p.name then return false end
      take(pinfo)
      dissector(tvb, pinfo, tree)
      return true
    end
  end
  proto:register_heuristic("tcp", guess(proto.dissector, function(pinfo) pinfo.conversation = proto end))
  web:register_heuristic("ws", guess(web.dissector, function() end))

  local ports, web_ports = DissectorTable.get("tcp.port"), DissectorTable.get("ws.port")
  proto.prefs.ports = Pref.range("TCP ports", tostring(p.port), "Where it is spoken", 65535)
  local used = proto.prefs.ports
  ports:add(used, proto)
  if p.web_port then web_ports:add(p.web_port, web) end
  function proto.prefs_changed()
    if used == proto.prefs.ports then return end
    ports:remove(used, proto)
    used = proto.prefs.ports
    ports:add(used, proto)
  end
  function proto.init() streams, packets = {}, {} end
end

parlor {
  name = "pimp", title = "Portable Internet Monopoly Protocol", framing = "frames",
  port = 13220, web_port = 23220,
  greetings = {{"client", "\000\001\001"}},
  answers = {
    ["HANDSHAKE"] = {"HANDSHAKE_ACKNOWLEDGE", "ERROR_UNKNOWN_PROTOCOL"},
    ["JOIN"] = {"WELCOME_DETAILS", "JOIN_PENDING", "ERROR_TOO_MANY_USERS", "ERROR_NAME_IN_USE", "ERROR_NOT_WELCOME"},
    ["REJOIN"] = {"WELCOME_BACK", "ERROR_WRONG_PASSWORD"},
    ["SWITCH_PLAY"] = {"OBSERVER_BECAME_PLAYER"},
    ["REQUEST_STATE"] = {"STATE_BOARD"},
    ["THROW_DICE"] = {"DICE_ROLLED"},
    ["JAIL_ROLL_DICE"] = {"DICE_ROLLED"},
    ["JAIL_PAY_BAIL"] = {"TRANSACTION_JAIL_REQUESTED"},
    ["CLAIM_RENT"] = {"PLAYER_CLAIMED_RENT", "ERROR_INVALID_RENT_CLAIM"},
    ["CLAIM_GO"] = {"PLAYER_CLAIMED_GO", "ERROR_INVALID_GO_CLAIM"},
    ["BUY_PROPERTY"] = {"DELTA_PROPERTY", "ERROR_PROPERTY_TOO_EXPENSIVE", "ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH"},
    ["AUCTION_PROPERTY"] = {"PROPERTY_AUCTION"},
    ["BID"] = {"PROPERTY_AUCTION_BID"},
    ["NO_BID"] = {"PROPERTY_AUCTION_NO_BID"},
    ["MORTGAGE_PROPERTY"] = {"DELTA_PROPERTY_MORTGAGED"},
    ["UNMORTGAGE_PROPERTY"] = {"DELTA_PROPERTY_UNMORTGAGED", "ERROR_MORTGAGE_TOO_EXPENSIVE"},
    ["TRANSACTION_REQUEST_TRADE"] = {"TRANSACTION_TRADE_REQUESTED"},
    ["TRANSACTION_SET_CASH"] = {"TRANSACTION_CASH_SET", "ERROR_TRANSACTION_TOO_EXPENSIVE"},
    ["TRANSACTION_ADD_PROPERTY"] = {"TRANSACTION_PROPERTY_ADDED", "ERROR_TRANSACTION_PROPERTY_NOT_OWNED"},
    ["TRANSACTION_REMOVE_PROPERTY"] = {"TRANSACTION_PROPERTY_REMOVED"},
    ["TRANSACTION_ADD_CARD"] = {"TRANSACTION_CARD_ADDED", "ERROR_TRANSACTION_CARD_NOT_OWNED"},
    ["TRANSACTION_REMOVE_CARD"] = {"TRANSACTION_CARD_REMOVED"},
    ["TRANSACTION_FINISH"] = {"TRANSACTION_FINISHED", "ERROR_TRANSACTION_NOT_SUITABLE"},
    ["TRANSACTION_REOPEN"] = {"TRANSACTION_REOPENED"},
    ["TRANSACTION_AGREE"] = {"TRANSACTION_AGREED", "TRANSACTION_FINALISED", "ERROR_TRANSACTION_PROPERTY_HAS_HOUSE", "ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH"},
    ["TRANSACTION_CANCEL"] = {"TRANSACTION_CANCELLED", "ERROR_TRANSACTION_CANNOT_BE_CANCELLED"},
    ["BANKRUPT_TRANSACTION"] = {"PLAYER_BECAME_OBSERVER_BANKRUPT", "ERROR_TRANSACTION_NOT_BANKRUPT"},
    ["PURCHASE_HOUSES"] = {"DELTA_HOUSES_PURCHASED", "ERROR_HOUSES_NOT_OWNED", "ERROR_HOUSES_NEED_MONOPOLY", "ERROR_HOUSES_MORTGAGED", "ERROR_HOUSES_NOT_COLOUR_GROUP", "ERROR_HOUSES_NOT_YOUR_TURN", "ERROR_HOUSES_TOO_EXPENSIVE", "ERROR_HOUSES_NO_HOUSE_PIECES_LEFT", "ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER", "ERROR_HOUSES_UNBALANCED", "ERROR_HOUSES_WOULD_REDUCE_NET_WORTH", "ERROR_HOUSES_TERMITES"},
    ["TRANSFER"] = {"PLAYER_BECAME_OBSERVER_TRANSFER", "ERROR_CANNOT_TRANSFER_DURING_TRANSACTION"},
    ["PING"] = {"PONG"},
    ["*"] = {"ERROR_UNPARSEABLE"},
  },
  unfinished = {},
  codes = {[0] = "HANDSHAKE", [1] = "HANDSHAKE_ACKNOWLEDGE", [2] = "JOIN", [3] = "WELCOME_DETAILS", [4] = "WELCOME_PLAYER", [5] = "WELCOME_OBSERVER", [6] = "QUERY_JOIN_PLAY", [7] = "QUERY_JOIN_OBSERVE", [8] = "ACCEPT_JOIN", [9] = "REFUSE_JOIN", [10] = "REJOIN", [11] = "WELCOME_BACK", [12] = "PLAYER_TAKEOVER", [13] = "SWITCH_PLAY", [14] = "OBSERVER_BECAME_PLAYER", [15] = "JOIN_REFUSED", [16] = "JOIN_PENDING", [17] = "REQUEST_STATE", [18] = "STATE_BOARD", [19] = "STATE_PLAYER", [20] = "STATE_OBSERVER", [21] = "STATE_PROPERTY", [22] = "STATE_CARD", [31] = "STATE_POT", [32] = "START_OF_TURN", [33] = "THROW_DICE", [34] = "DICE_ROLLED", [35] = "THREE_DOUBLES", [36] = "DICE_MOVED_PLAYER", [37] = "CARD_MOVED_PLAYER", [38] = "SQUARE_MOVED_PLAYER", [39] = "PLAYER_PASSING_BY_SQUARE", [40] = "PLAYER_LANDING_ON_SQUARE", [41] = "GOING_TO_JAIL", [42] = "WAITING_FOR_TRANSACTION", [43] = "CLAIM_RENT", [44] = "CLAIM_GO", [46] = "RENT_COLLECTION_MORATORIUM", [47] = "ROLL_AGAIN", [48] = "PROPERTY_SALE", [49] = "BUY_PROPERTY", [50] = "AUCTION_PROPERTY", [51] = "PROPERTY_AUCTION", [52] = "BID", [53] = "PROPERTY_AUCTION_BID", [54] = "NO_BID", [55] = "PROPERTY_AUCTION_NO_BID", [56] = "PROPERTY_AUCTION_WON", [57] = "PROPERTY_AUCTION_VOID", [59] = "MORTGAGE_PROPERTY", [60] = "UNMORTGAGE_PROPERTY", [64] = "GOT_CARD", [65] = "CARD_COLLECT_OR_RETRY", [66] = "CARD_SELECT_COLLECT", [67] = "CARD_SELECT_RETRY", [69] = "TAX_SELECT_OPTION", [70] = "TAX_PAY_TEN_PERCENT", [71] = "TAX_PAY_FLAT_FEE", [74] = "JAIL_PAY_OR_ROLL", [75] = "JAIL_PAY_BAIL", [76] = "JAIL_ROLL_DICE", [77] = "JAIL_FREE", [80] = "TRANSACTION_REQUEST_TRADE", [81] = "TRANSACTION_TRADE_REQUESTED", [82] = "TRANSACTION_RENT_REQUESTED", [83] = "TRANSACTION_CARD_REQUESTED", [84] = "TRANSACTION_SQUARE_REQUESTED", [85] = "TRANSACTION_BANK_REQUESTED", [86] = "TRANSACTION_JAIL_REQUESTED", [96] = "TRANSACTION_SET_CASH", [97] = "TRANSACTION_CASH_SET", [98] = "TRANSACTION_OTHER_CASH_SET", [99] = "TRANSACTION_ADD_PROPERTY", [100] = "TRANSACTION_REMOVE_PROPERTY", [101] = "TRANSACTION_PROPERTY_ADDED", [102] = "TRANSACTION_PROPERTY_REMOVED", [103] = "TRANSACTION_OTHER_PROPERTY_ADDED", [104] = "TRANSACTION_OTHER_PROPERTY_REMOVED", [105] = "TRANSACTION_ADD_CARD", [106] = "TRANSACTION_REMOVE_CARD", [107] = "TRANSACTION_CARD_ADDED", [108] = "TRANSACTION_CARD_REMOVED", [109] = "TRANSACTION_OTHER_CARD_ADDED", [110] = "TRANSACTION_OTHER_CARD_REMOVED", [112] = "TRANSACTION_FINISH", [113] = "TRANSACTION_FINISHED", [114] = "TRANSACTION_OTHER_FINISHED", [115] = "TRANSACTION_REOPEN", [116] = "TRANSACTION_REOPENED", [117] = "TRANSACTION_OTHER_REOPENED", [118] = "TRANSACTION_AGREE", [119] = "TRANSACTION_AGREED", [120] = "TRANSACTION_OTHER_AGREED", [121] = "TRANSACTION_FINALISED", [122] = "BANKRUPT_TRANSACTION", [125] = "TRANSACTION_UNUSUAL", [126] = "TRANSACTION_CANCEL", [127] = "TRANSACTION_CANCELLED", [128] = "SQUARE_GIVES_CASH", [129] = "SQUARE_TAKES_CASH", [130] = "SQUARE_GIVES_CARD", [131] = "SQUARE_TAKES_CARD", [132] = "CONSTRUCTION_TAKES_CASH", [133] = "DESTRUCTION_GIVES_CASH", [134] = "PLAYER_CLAIMED_RENT", [135] = "PLAYER_CLAIMED_GO", [144] = "PURCHASE_HOUSES", [145] = "ERROR_HOUSES_NOT_OWNED", [146] = "ERROR_HOUSES_NEED_MONOPOLY", [147] = "ERROR_HOUSES_MORTGAGED", [148] = "ERROR_HOUSES_NOT_COLOUR_GROUP", [149] = "ERROR_HOUSES_NOT_YOUR_TURN", [150] = "ERROR_HOUSES_TOO_EXPENSIVE", [151] = "ERROR_HOUSES_NO_HOUSE_PIECES_LEFT", [152] = "ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER", [153] = "ERROR_HOUSES_UNBALANCED", [154] = "ERROR_HOUSES_WOULD_REDUCE_NET_WORTH", [155] = "ERROR_HOUSES_TERMITES", [192] = "DELTA_CASH", [193] = "DELTA_PROPERTY", [194] = "DELTA_CARD", [195] = "DELTA_HOUSES_PURCHASED", [196] = "DELTA_BANK", [197] = "DELTA_PROPERTY_MORTGAGED", [198] = "DELTA_PROPERTY_UNMORTGAGED", [207] = "DELTA_POT", [208] = "PING", [209] = "PONG", [210] = "LINK_DEAD", [211] = "KICK", [212] = "TRANSFER", [213] = "AFK", [218] = "PLAYER_BECAME_OBSERVER_TRANSFER", [219] = "PLAYER_BECAME_OBSERVER_BANKRUPT", [220] = "PLAYER_BECAME_OBSERVER_KICKED", [223] = "PLAYER_WON", [224] = "ERROR_INVALID_RENT_CLAIM", [225] = "ERROR_INVALID_GO_CLAIM", [226] = "ERROR_PROPERTY_TOO_EXPENSIVE", [227] = "ERROR_MORTGAGE_TOO_EXPENSIVE", [228] = "ERROR_TRANSACTION_TOO_EXPENSIVE", [229] = "ERROR_TRANSACTION_PROPERTY_NOT_OWNED", [230] = "ERROR_TRANSACTION_CARD_NOT_OWNED", [231] = "ERROR_TRANSACTION_NOT_SUITABLE", [232] = "ERROR_TRANSACTION_PROPERTY_HAS_HOUSE", [233] = "ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH", [234] = "ERROR_TRANSACTION_NOT_BANKRUPT", [235] = "ERROR_TRANSACTION_CANNOT_BE_CANCELLED", [236] = "ERROR_CANNOT_TRANSFER_DURING_TRANSACTION", [237] = "MONEY_BEING_HELD_IN_ESCROW", [238] = "ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH", [240] = "ERROR_UNKNOWN_PROTOCOL", [241] = "ERROR_TOO_MANY_USERS", [242] = "ERROR_NAME_IN_USE", [243] = "ERROR_NOT_WELCOME", [244] = "ERROR_WRONG_PASSWORD", [252] = "ERROR_INVALID_PAYLOAD", [253] = "ERROR_UNPARSEABLE", [254] = "ERROR_UNEXPECTED_MESSAGE"},
  fields = {
    {"amount", "number"},
    {"blocking_transaction", "number"},
    {"board", "byte"},
    {"candidate", "number"},
    {"card", "byte", {[0] = "Go", [1] = "Illinois Avenue", [2] = "next utility", [3] = "next railroad", [4] = "next railroad", [5] = "St. Charles Place", [6] = "the bank pays", [7] = "get out of jail", [8] = "go back", [9] = "go to jail", [10] = "repairs", [11] = "pay the bank", [12] = "Reading Railroad", [13] = "Boardwalk", [14] = "pay each player", [15] = "the bank pays", [16] = "Go", [17] = "the bank pays", [18] = "pay the bank", [19] = "the bank pays", [20] = "get out of jail", [21] = "go to jail", [22] = "collect from each player", [23] = "the bank pays", [24] = "the bank pays", [25] = "pay the bank", [26] = "pay the bank", [27] = "the bank pays", [28] = "the bank pays", [29] = "repairs", [30] = "the bank pays", [31] = "the bank pays"}},
    {"cash", "number"},
    {"code", "byte"},
    {"cost", "number"},
    {"creditor", "byte"},
    {"debtor", "byte"},
    {"die1", "byte"},
    {"die2", "byte"},
    {"earlier_transaction", "number"},
    {"from", "byte"},
    {"from_square", "byte", {[0] = "Go", [1] = "Mediterranean Avenue", [2] = "Community Chest", [3] = "Baltic Avenue", [4] = "Income Tax", [5] = "Reading Railroad", [6] = "Oriental Avenue", [7] = "Chance", [8] = "Vermont Avenue", [9] = "Connecticut Avenue", [10] = "Jail", [11] = "St. Charles Place", [12] = "Electric Company", [13] = "States Avenue", [14] = "Virginia Avenue", [15] = "Pennsylvania Railroad", [16] = "St. James Place", [17] = "Community Chest", [18] = "Tennessee Avenue", [19] = "New York Avenue", [20] = "Free Parking", [21] = "Kentucky Avenue", [22] = "Chance", [23] = "Indiana Avenue", [24] = "Illinois Avenue", [25] = "B & O Railroad", [26] = "Atlantic Avenue", [27] = "Ventnor Avenue", [28] = "Water Works", [29] = "Marvin Gardens", [30] = "Go To Jail", [31] = "Pacific Avenue", [32] = "North Carolina Avenue", [33] = "Community Chest", [34] = "Pennsylvania Avenue", [35] = "Short Line", [36] = "Chance", [37] = "Park Place", [38] = "Luxury Tax", [39] = "Boardwalk"}},
    {"game", "number"},
    {"hotels", "byte"},
    {"houses", "byte"},
    {"jail_turn", "byte"},
    {"lots.hotels", "delta"},
    {"lots.houses", "delta"},
    {"lots.property", "byte", {[0] = "Mediterranean Avenue", [1] = "Baltic Avenue", [2] = "Reading Railroad", [3] = "Oriental Avenue", [4] = "Vermont Avenue", [5] = "Connecticut Avenue", [6] = "St. Charles Place", [7] = "Electric Company", [8] = "States Avenue", [9] = "Virginia Avenue", [10] = "Pennsylvania Railroad", [11] = "St. James Place", [12] = "Tennessee Avenue", [13] = "New York Avenue", [14] = "Kentucky Avenue", [15] = "Indiana Avenue", [16] = "Illinois Avenue", [17] = "B & O Railroad", [18] = "Atlantic Avenue", [19] = "Ventnor Avenue", [20] = "Water Works", [21] = "Marvin Gardens", [22] = "Pacific Avenue", [23] = "North Carolina Avenue", [24] = "Pennsylvania Avenue", [25] = "Short Line", [26] = "Park Place", [27] = "Boardwalk"}},
    {"may_build", "bool"},
    {"may_throw", "bool"},
    {"mortgaged", "bool"},
    {"name", "text"},
    {"new_player", "byte"},
    {"nonce", "number"},
    {"old_player", "byte"},
    {"other", "byte"},
    {"owner", "byte"},
    {"password", "number"},
    {"piece", "byte", {[0] = "any", [1] = "Bag of money", [2] = "Battleship", [3] = "Cannon", [4] = "Dog", [5] = "Horse & Rider", [6] = "Iron", [7] = "Race Car", [8] = "Shoe", [9] = "Thimble", [10] = "Top Hat", [11] = "Wheelbarrow"}},
    {"play", "bool"},
    {"player", "byte"},
    {"playing", "bool"},
    {"price", "number"},
    {"property", "byte", {[0] = "Mediterranean Avenue", [1] = "Baltic Avenue", [2] = "Reading Railroad", [3] = "Oriental Avenue", [4] = "Vermont Avenue", [5] = "Connecticut Avenue", [6] = "St. Charles Place", [7] = "Electric Company", [8] = "States Avenue", [9] = "Virginia Avenue", [10] = "Pennsylvania Railroad", [11] = "St. James Place", [12] = "Tennessee Avenue", [13] = "New York Avenue", [14] = "Kentucky Avenue", [15] = "Indiana Avenue", [16] = "Illinois Avenue", [17] = "B & O Railroad", [18] = "Atlantic Avenue", [19] = "Ventnor Avenue", [20] = "Water Works", [21] = "Marvin Gardens", [22] = "Pacific Avenue", [23] = "North Carolina Avenue", [24] = "Pennsylvania Avenue", [25] = "Short Line", [26] = "Park Place", [27] = "Boardwalk"}},
    {"rent", "number"},
    {"rolls_left", "byte"},
    {"square", "byte", {[0] = "Go", [1] = "Mediterranean Avenue", [2] = "Community Chest", [3] = "Baltic Avenue", [4] = "Income Tax", [5] = "Reading Railroad", [6] = "Oriental Avenue", [7] = "Chance", [8] = "Vermont Avenue", [9] = "Connecticut Avenue", [10] = "Jail", [11] = "St. Charles Place", [12] = "Electric Company", [13] = "States Avenue", [14] = "Virginia Avenue", [15] = "Pennsylvania Railroad", [16] = "St. James Place", [17] = "Community Chest", [18] = "Tennessee Avenue", [19] = "New York Avenue", [20] = "Free Parking", [21] = "Kentucky Avenue", [22] = "Chance", [23] = "Indiana Avenue", [24] = "Illinois Avenue", [25] = "B & O Railroad", [26] = "Atlantic Avenue", [27] = "Ventnor Avenue", [28] = "Water Works", [29] = "Marvin Gardens", [30] = "Go To Jail", [31] = "Pacific Avenue", [32] = "North Carolina Avenue", [33] = "Community Chest", [34] = "Pennsylvania Avenue", [35] = "Short Line", [36] = "Chance", [37] = "Park Place", [38] = "Luxury Tax", [39] = "Boardwalk"}},
    {"to", "byte"},
    {"total", "byte"},
    {"transaction", "number"},
    {"version", "byte"},
  },
  messages = {
    {"HANDSHAKE", by = "client", code = 0, line = 74, fields = {{"version", "byte"}}},
    {"HANDSHAKE_ACKNOWLEDGE", by = "server", code = 1, line = 80, fields = {{"game", "number"}}},
    {"JOIN", by = "client", code = 2, line = 91, fields = {{"piece", "byte"}, {"play", "bool"}, {"name", "counted", most = 32}}},
    {"WELCOME_DETAILS", by = "server", code = 3, line = 125, fields = {{"player", "byte"}, {"password", "number"}}},
    {"WELCOME_PLAYER", by = "server", code = 4, line = 130, fields = {{"player", "byte"}, {"piece", "byte"}, {"name", "counted", most = 32}}},
    {"WELCOME_OBSERVER", by = "server", code = 5, line = 135, fields = {{"player", "byte"}, {"piece", "byte"}, {"name", "counted", most = 32}}},
    {"QUERY_JOIN_PLAY", by = "server", code = 6, line = 95, fields = {{"candidate", "number"}, {"name", "counted", most = 32}}},
    {"QUERY_JOIN_OBSERVE", by = "server", code = 7, line = 96, fields = {{"candidate", "number"}, {"name", "counted", most = 32}}},
    {"ACCEPT_JOIN", by = "client", code = 8, line = 104, fields = {{"candidate", "number"}}},
    {"REFUSE_JOIN", by = "client", code = 9, line = 108, fields = {{"candidate", "number"}}},
    {"REJOIN", by = "client", code = 10, line = 140, fields = {{"player", "byte"}, {"password", "number"}}},
    {"WELCOME_BACK", by = "server", code = 11, line = 143, fields = {{"player", "byte"}, {"piece", "byte"}, {"name", "counted", most = 32}, {"playing", "bool"}}},
    {"PLAYER_TAKEOVER", by = "server", code = 12, line = 192, fields = {{"new_player", "byte"}, {"old_player", "byte"}}},
    {"SWITCH_PLAY", by = "client", code = 13, line = 214},
    {"OBSERVER_BECAME_PLAYER", by = "server", code = 14, line = 222, fields = {{"player", "byte"}}},
    {"JOIN_REFUSED", by = "server", code = 15, line = 112, fields = {{"candidate", "number"}, {"name", "counted", most = 32}}},
    {"JOIN_PENDING", by = "server", code = 16, line = 101},
    {"REQUEST_STATE", by = "client", code = 17, line = 249},
    {"STATE_BOARD", by = "server", code = 18, line = 252, fields = {{"board", "byte"}}},
    {"STATE_PLAYER", by = "server", code = 19, line = 256, fields = {{"player", "byte"}, {"piece", "byte"}, {"name", "counted", most = 32}, {"square", "byte"}, {"cash", "number"}, {"jail_turn", "byte"}}},
    {"STATE_OBSERVER", by = "server", code = 20, line = 261, fields = {{"player", "byte"}, {"piece", "byte"}, {"name", "counted", most = 32}}},
    {"STATE_PROPERTY", by = "server", code = 21, line = 264, fields = {{"property", "byte"}, {"owner", "byte"}, {"mortgaged", "bool"}, {"houses", "byte"}, {"hotels", "byte"}}},
    {"STATE_CARD", by = "server", code = 22, line = 268, fields = {{"card", "byte"}, {"owner", "byte"}}},
    {"STATE_POT", by = "server", code = 31, line = 271, fields = {{"cash", "number"}}},
    {"START_OF_TURN", by = "server", code = 32, line = 284, fields = {{"player", "byte"}, {"may_throw", "bool"}}},
    {"THROW_DICE", by = "client", code = 33, line = 289},
    {"DICE_ROLLED", by = "server", code = 34, line = 294, fields = {{"player", "byte"}, {"die1", "byte"}, {"die2", "byte"}}},
    {"THREE_DOUBLES", by = "server", code = 35, line = 298, fields = {{"player", "byte"}}},
    {"DICE_MOVED_PLAYER", by = "server", code = 36, line = 301, fields = {{"player", "byte"}, {"square", "byte"}, {"total", "byte"}}},
    {"CARD_MOVED_PLAYER", by = "server", code = 37, line = 307, fields = {{"player", "byte"}, {"card", "byte"}, {"square", "byte"}}},
    {"SQUARE_MOVED_PLAYER", by = "server", code = 38, line = 310, fields = {{"player", "byte"}, {"from_square", "byte"}, {"square", "byte"}}},
    {"PLAYER_PASSING_BY_SQUARE", by = "server", code = 39, line = 313, fields = {{"player", "byte"}, {"square", "byte"}}},
    {"PLAYER_LANDING_ON_SQUARE", by = "server", code = 40, line = 321, fields = {{"player", "byte"}, {"square", "byte"}}},
    {"GOING_TO_JAIL", by = "server", code = 41, line = 326, fields = {{"player", "byte"}, {"square", "byte"}}},
    {"WAITING_FOR_TRANSACTION", by = "server", code = 42, line = 334, fields = {{"player", "byte"}, {"transaction", "number"}}},
    {"CLAIM_RENT", by = "client", code = 43, line = 337, fields = {{"debtor", "byte"}, {"property", "byte"}}},
    {"CLAIM_GO", by = "client", code = 44, line = 344, fields = {{"square", "byte"}}},
    {"RENT_COLLECTION_MORATORIUM", by = "server", code = 46, line = 354},
    {"ROLL_AGAIN", by = "server", code = 47, line = 357, fields = {{"player", "byte"}}},
    {"PROPERTY_SALE", by = "server", code = 48, line = 364, fields = {{"player", "byte"}, {"property", "byte"}, {"price", "number"}}},
    {"BUY_PROPERTY", by = "client", code = 49, line = 367},
    {"AUCTION_PROPERTY", by = "client", code = 50, line = 378},
    {"PROPERTY_AUCTION", by = "server", code = 51, line = 381, fields = {{"property", "byte"}}},
    {"BID", by = "client", code = 52, line = 384, fields = {{"cash", "number"}}},
    {"PROPERTY_AUCTION_BID", by = "server", code = 53, line = 388, fields = {{"player", "byte"}, {"cash", "number"}}},
    {"NO_BID", by = "client", code = 54, line = 391},
    {"PROPERTY_AUCTION_NO_BID", by = "server", code = 55, line = 398, fields = {{"player", "byte"}}},
    {"PROPERTY_AUCTION_WON", by = "server", code = 56, line = 401, fields = {{"player", "byte"}}},
    {"PROPERTY_AUCTION_VOID", by = "server", code = 57, line = 405},
    {"MORTGAGE_PROPERTY", by = "client", code = 59, line = 459, fields = {{"property", "byte"}}},
    {"UNMORTGAGE_PROPERTY", by = "client", code = 60, line = 467, fields = {{"property", "byte"}}},
    {"GOT_CARD", by = "server", code = 64, line = 485, fields = {{"player", "byte"}, {"square", "byte"}, {"card", "byte"}}},
    {"CARD_COLLECT_OR_RETRY", by = "server", code = 65, line = 494, fields = {{"player", "byte"}}},
    {"CARD_SELECT_COLLECT", by = "client", code = 66, line = 497},
    {"CARD_SELECT_RETRY", by = "client", code = 67, line = 501},
    {"TAX_SELECT_OPTION", by = "server", code = 69, line = 506, fields = {{"player", "byte"}, {"square", "byte"}}},
    {"TAX_PAY_TEN_PERCENT", by = "client", code = 70, line = 509},
    {"TAX_PAY_FLAT_FEE", by = "client", code = 71, line = 512},
    {"JAIL_PAY_OR_ROLL", by = "server", code = 74, line = 516, fields = {{"player", "byte"}, {"rolls_left", "byte"}, {"may_build", "bool"}}},
    {"JAIL_PAY_BAIL", by = "client", code = 75, line = 523},
    {"JAIL_ROLL_DICE", by = "client", code = 76, line = 529},
    {"JAIL_FREE", by = "server", code = 77, line = 536, fields = {{"player", "byte"}}},
    {"TRANSACTION_REQUEST_TRADE", by = "client", code = 80, line = 562, fields = {{"player", "byte"}}},
    {"TRANSACTION_TRADE_REQUESTED", by = "server", code = 81, line = 565, fields = {{"transaction", "number"}, {"other", "byte"}}},
    {"TRANSACTION_RENT_REQUESTED", by = "server", code = 82, line = 569, fields = {{"transaction", "number"}, {"other", "byte"}, {"property", "byte"}, {"creditor", "byte"}, {"rent", "number"}}},
    {"TRANSACTION_CARD_REQUESTED", by = "server", code = 83, line = 574, fields = {{"transaction", "number"}, {"other", "byte"}, {"card", "byte"}, {"creditor", "byte"}, {"amount", "number"}}},
    {"TRANSACTION_SQUARE_REQUESTED", by = "server", code = 84, line = 580, fields = {{"transaction", "number"}, {"square", "byte"}, {"amount", "number"}}},
    {"TRANSACTION_BANK_REQUESTED", by = "server", code = 85, line = 584, fields = {{"transaction", "number"}, {"amount", "number"}}},
    {"TRANSACTION_JAIL_REQUESTED", by = "server", code = 86, line = 590, fields = {{"transaction", "number"}, {"amount", "number"}}},
    {"TRANSACTION_SET_CASH", by = "client", code = 96, line = 599, fields = {{"transaction", "number"}, {"cash", "number"}}},
    {"TRANSACTION_CASH_SET", by = "server", code = 97, line = 606, fields = {{"transaction", "number"}, {"cash", "number"}}},
    {"TRANSACTION_OTHER_CASH_SET", by = "server", code = 98, line = 612, fields = {{"transaction", "number"}, {"cash", "number"}}},
    {"TRANSACTION_ADD_PROPERTY", by = "client", code = 99, line = 617, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_REMOVE_PROPERTY", by = "client", code = 100, line = 624, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_PROPERTY_ADDED", by = "server", code = 101, line = 628, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_PROPERTY_REMOVED", by = "server", code = 102, line = 631, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_OTHER_PROPERTY_ADDED", by = "server", code = 103, line = 635, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_OTHER_PROPERTY_REMOVED", by = "server", code = 104, line = 638, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"TRANSACTION_ADD_CARD", by = "client", code = 105, line = 642, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_REMOVE_CARD", by = "client", code = 106, line = 649, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_CARD_ADDED", by = "server", code = 107, line = 653, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_CARD_REMOVED", by = "server", code = 108, line = 656, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_OTHER_CARD_ADDED", by = "server", code = 109, line = 660, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_OTHER_CARD_REMOVED", by = "server", code = 110, line = 663, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"TRANSACTION_FINISH", by = "client", code = 112, line = 667, fields = {{"transaction", "number"}}},
    {"TRANSACTION_FINISHED", by = "server", code = 113, line = 670, fields = {{"transaction", "number"}}},
    {"TRANSACTION_OTHER_FINISHED", by = "server", code = 114, line = 675, fields = {{"transaction", "number"}}},
    {"TRANSACTION_REOPEN", by = "client", code = 115, line = 686, fields = {{"transaction", "number"}}},
    {"TRANSACTION_REOPENED", by = "server", code = 116, line = 691, fields = {{"transaction", "number"}}},
    {"TRANSACTION_OTHER_REOPENED", by = "server", code = 117, line = 699, fields = {{"transaction", "number"}}},
    {"TRANSACTION_AGREE", by = "client", code = 118, line = 707, fields = {{"transaction", "number"}}},
    {"TRANSACTION_AGREED", by = "server", code = 119, line = 726, fields = {{"transaction", "number"}}},
    {"TRANSACTION_OTHER_AGREED", by = "server", code = 120, line = 729, fields = {{"transaction", "number"}}},
    {"TRANSACTION_FINALISED", by = "server", code = 121, line = 732, fields = {{"transaction", "number"}}},
    {"BANKRUPT_TRANSACTION", by = "client", code = 122, line = 736, fields = {{"transaction", "number"}}},
    {"TRANSACTION_UNUSUAL", by = "server", code = 125, line = 749, fields = {{"transaction", "number"}}},
    {"TRANSACTION_CANCEL", by = "client", code = 126, line = 754, fields = {{"transaction", "number"}}},
    {"TRANSACTION_CANCELLED", by = "server", code = 127, line = 757, fields = {{"transaction", "number"}}},
    {"SQUARE_GIVES_CASH", by = "server", code = 128, line = 771, fields = {{"player", "byte"}, {"square", "byte"}, {"cash", "number"}}},
    {"SQUARE_TAKES_CASH", by = "server", code = 129, line = 776, fields = {{"player", "byte"}, {"square", "byte"}, {"cash", "number"}}},
    {"SQUARE_GIVES_CARD", by = "server", code = 130, line = 781, fields = {{"player", "byte"}, {"square", "byte"}, {"card", "byte"}}},
    {"SQUARE_TAKES_CARD", by = "server", code = 131, line = 786, fields = {{"player", "byte"}, {"square", "byte"}, {"card", "byte"}}},
    {"CONSTRUCTION_TAKES_CASH", by = "server", code = 132, line = 791, fields = {{"player", "byte"}, {"cash", "number"}}},
    {"DESTRUCTION_GIVES_CASH", by = "server", code = 133, line = 796, fields = {{"player", "byte"}, {"cash", "number"}}},
    {"PLAYER_CLAIMED_RENT", by = "server", code = 134, line = 801, fields = {{"creditor", "byte"}, {"debtor", "byte"}, {"property", "byte"}, {"rent", "number"}}},
    {"PLAYER_CLAIMED_GO", by = "server", code = 135, line = 806, fields = {{"player", "byte"}, {"square", "byte"}, {"cash", "number"}}},
    {"PURCHASE_HOUSES", by = "client", code = 144, line = 409, fields = {{"lots", "list", parts = {{"lots.property", "byte"}, {"lots.houses", "delta"}, {"lots.hotels", "delta"}}}}},
    {"ERROR_HOUSES_NOT_OWNED", by = "server", code = 145, line = 415, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_NEED_MONOPOLY", by = "server", code = 146, line = 418, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_MORTGAGED", by = "server", code = 147, line = 421, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_NOT_COLOUR_GROUP", by = "server", code = 148, line = 424, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_NOT_YOUR_TURN", by = "server", code = 149, line = 427, error = true},
    {"ERROR_HOUSES_TOO_EXPENSIVE", by = "server", code = 150, line = 430, error = true, fields = {{"cost", "number"}}},
    {"ERROR_HOUSES_NO_HOUSE_PIECES_LEFT", by = "server", code = 151, line = 433, error = true, fields = {{"houses", "byte"}, {"hotels", "byte"}}},
    {"ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER", by = "server", code = 152, line = 437, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_UNBALANCED", by = "server", code = 153, line = 441, error = true, fields = {{"property", "byte"}}},
    {"ERROR_HOUSES_WOULD_REDUCE_NET_WORTH", by = "server", code = 154, line = 445, error = true, fields = {{"transaction", "number"}}},
    {"ERROR_HOUSES_TERMITES", by = "server", code = 155, line = 449, error = true},
    {"DELTA_CASH", by = "server", code = 192, line = 815, fields = {{"from", "byte"}, {"to", "byte"}, {"cash", "number"}}},
    {"DELTA_PROPERTY", by = "server", code = 193, line = 819, fields = {{"from", "byte"}, {"to", "byte"}, {"property", "byte"}}},
    {"DELTA_CARD", by = "server", code = 194, line = 822, fields = {{"from", "byte"}, {"to", "byte"}, {"card", "byte"}}},
    {"DELTA_HOUSES_PURCHASED", by = "server", code = 195, line = 453, fields = {{"player", "byte"}, {"property", "byte"}, {"houses", "byte"}, {"hotels", "byte"}}},
    {"DELTA_BANK", by = "server", code = 196, line = 825, fields = {{"houses", "byte"}, {"hotels", "byte"}}},
    {"DELTA_PROPERTY_MORTGAGED", by = "server", code = 197, line = 463, fields = {{"property", "byte"}}},
    {"DELTA_PROPERTY_UNMORTGAGED", by = "server", code = 198, line = 470, fields = {{"property", "byte"}}},
    {"DELTA_POT", by = "server", code = 207, line = 828, fields = {{"cash", "number"}}},
    {"PING", by = "server", code = 208, line = 157, fields = {{"nonce", "number"}}},
    {"PONG", by = "client", code = 209, line = 160, fields = {{"nonce", "number"}}},
    {"LINK_DEAD", by = "server", code = 210, line = 163, fields = {{"player", "byte"}}},
    {"KICK", by = "client", code = 211, line = 171, fields = {{"player", "byte"}}},
    {"TRANSFER", by = "client", code = 212, line = 181, fields = {{"player", "byte"}}},
    {"AFK", by = "client", code = 213, line = 203},
    {"PLAYER_BECAME_OBSERVER_TRANSFER", by = "server", code = 218, line = 226, fields = {{"player", "byte"}}},
    {"PLAYER_BECAME_OBSERVER_BANKRUPT", by = "server", code = 219, line = 231, fields = {{"player", "byte"}}},
    {"PLAYER_BECAME_OBSERVER_KICKED", by = "server", code = 220, line = 176, fields = {{"player", "byte"}}},
    {"PLAYER_WON", by = "server", code = 223, line = 235, fields = {{"player", "byte"}}},
    {"ERROR_INVALID_RENT_CLAIM", by = "server", code = 224, line = 341, error = true},
    {"ERROR_INVALID_GO_CLAIM", by = "server", code = 225, line = 348, error = true},
    {"ERROR_PROPERTY_TOO_EXPENSIVE", by = "server", code = 226, line = 371, error = true, fields = {{"property", "byte"}, {"price", "number"}}},
    {"ERROR_MORTGAGE_TOO_EXPENSIVE", by = "server", code = 227, line = 474, error = true, fields = {{"property", "byte"}, {"cost", "number"}}},
    {"ERROR_TRANSACTION_TOO_EXPENSIVE", by = "server", code = 228, line = 602, error = true, fields = {{"transaction", "number"}, {"cash", "number"}}},
    {"ERROR_TRANSACTION_PROPERTY_NOT_OWNED", by = "server", code = 229, line = 621, error = true, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"ERROR_TRANSACTION_CARD_NOT_OWNED", by = "server", code = 230, line = 646, error = true, fields = {{"transaction", "number"}, {"card", "byte"}}},
    {"ERROR_TRANSACTION_NOT_SUITABLE", by = "server", code = 231, line = 680, error = true, fields = {{"transaction", "number"}, {"amount", "number"}}},
    {"ERROR_TRANSACTION_PROPERTY_HAS_HOUSE", by = "server", code = 232, line = 712, error = true, fields = {{"transaction", "number"}, {"property", "byte"}}},
    {"ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH", by = "server", code = 233, line = 718, error = true, fields = {{"transaction", "number"}, {"blocking_transaction", "number"}}},
    {"ERROR_TRANSACTION_NOT_BANKRUPT", by = "server", code = 234, line = 743, error = true, fields = {{"transaction", "number"}, {"earlier_transaction", "number"}}},
    {"ERROR_TRANSACTION_CANNOT_BE_CANCELLED", by = "server", code = 235, line = 762, error = true, fields = {{"transaction", "number"}}},
    {"ERROR_CANNOT_TRANSFER_DURING_TRANSACTION", by = "server", code = 236, line = 186, error = true, fields = {{"transaction", "number"}}},
    {"MONEY_BEING_HELD_IN_ESCROW", by = "server", code = 237, line = 351, fields = {{"player", "byte"}, {"transaction", "number"}, {"cash", "number"}}},
    {"ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH", by = "server", code = 238, line = 374, error = true, fields = {{"property", "byte"}, {"transaction", "number"}}},
    {"ERROR_UNKNOWN_PROTOCOL", by = "server", code = 240, line = 84, error = true},
    {"ERROR_TOO_MANY_USERS", by = "server", code = 241, line = 115, error = true},
    {"ERROR_NAME_IN_USE", by = "server", code = 242, line = 118, error = true},
    {"ERROR_NOT_WELCOME", by = "server", code = 243, line = 122, error = true},
    {"ERROR_WRONG_PASSWORD", by = "server", code = 244, line = 148, error = true},
    {"ERROR_INVALID_PAYLOAD", by = "either", code = 252, line = 65, error = true, fields = {{"code", "code"}}},
    {"ERROR_UNPARSEABLE", by = "either", code = 253, line = 61, error = true},
    {"ERROR_UNEXPECTED_MESSAGE", by = "either", code = 254, line = 54, error = true, fields = {{"code", "code"}}},
  },
}

parlor {
  name = "yard", title = "Scotland Yard (London Law)", framing = "words",
  port = 7921,
  greetings = {{"client", "protocol "}, {"client", "#1 protocol "}},
  answers = {},
  unfinished = {
    ["aiinfo"] = true,
  },
  fields = {
    {"at", "integer"},
    {"first.ticket", "text"},
    {"first.to", "integer"},
    {"game", "text"},
    {"hop.ticket", "text"},
    {"hop.to", "integer"},
    {"kind", "text"},
    {"name", "text"},
    {"password", "text"},
    {"pawn", "text"},
    {"pawns", "text"},
    {"players", "integer"},
    {"purse.black", "integer"},
    {"purse.bus", "integer"},
    {"purse.double", "integer"},
    {"purse.taxi", "integer"},
    {"purse.underground", "integer"},
    {"reason", "text"},
    {"round", "text"},
    {"second.ticket", "text"},
    {"second.to", "integer"},
    {"stage", "text"},
    {"team", "text"},
    {"text", "text"},
    {"ticket", "text"},
    {"to", "integer"},
    {"turn", "integer"},
    {"user", "text"},
    {"version", "text"},
    {"vote", "text"},
    {"winner", "text"},
  },
  messages = {
    {"protocol", by = "client", fields = {{"version", "text"}}},
    {"login", by = "client", fields = {{"name", "text"}, {"password", "text"}}},
    {"noop", by = "client"},
    {"language", by = "client"},
    {"listai", by = "client"},
    {"requestai", by = "client"},
    {"listgames", by = "client"},
    {"newgame", by = "client", fields = {{"name", "text"}, {"kind", "text"}}},
    {"join", by = "client", fields = {{"game", "text"}}},
    {"watch", by = "client", fields = {{"game", "text"}}},
    {"leave", by = "client"},
    {"listplayers", by = "client", fields = {{"game", "text", optional = true}}},
    {"setteam", by = "client", fields = {{"team", "text"}}},
    {"votestart", by = "client", fields = {{"vote", "named", names = {["false"] = "False", ["true"] = "True"}}}},
    {"chatall", by = "client", fields = {{"text", "text"}}},
    {"chatteam", by = "client", fields = {{"text", "text"}}},
    {"pawninfo", by = "client"},
    {"whoseturn", by = "client"},
    {"turnnum", by = "client"},
    {"whatturnnum", by = "client"},
    {"move", by = "client", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}, optional = true}, {"hop.to", "integer", least = 1, most = 199}, {"hop.ticket", "named", names = {["taxi"] = "taxi", ["bus"] = "bus", ["underground"] = "underground", ["black"] = "black"}}}},
    {"doublemove", by = "client", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}, optional = true}, {"first.to", "integer", least = 1, most = 199}, {"first.ticket", "named", names = {["taxi"] = "taxi", ["bus"] = "bus", ["underground"] = "underground", ["black"] = "black"}}, {"second.to", "integer", least = 1, most = 199}, {"second.ticket", "named", names = {["taxi"] = "taxi", ["bus"] = "bus", ["underground"] = "underground", ["black"] = "black"}}}},
    {"history", by = "client"},
    {"gameinfo", by = "server", fields = {{"name", "text"}, {"stage", "named", names = {["new"] = "new", ["in progress"] = "in progress", ["complete"] = "complete"}}, {"kind", "text"}, {"players", "integer", least = 0, most = 255}}},
    {"gameremoved", by = "server", fields = {{"name", "text"}}},
    {"playerinfo", by = "server", fields = {{"user", "text"}, {"team", "named", names = {["mr. x"] = "Mr. X", ["detectives"] = "Detectives"}}, {"vote", "named", names = {["false"] = "False", ["true"] = "True"}}, {"pawns", "text"}}},
    {"playerleave", by = "server", fields = {{"user", "text"}}},
    {"rejoin", by = "server", fields = {{"user", "text"}}},
    {"gamestart", by = "server"},
    {"pawninfo", by = "server", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}}, {"user", "text"}, {"at", "integer", least = -1, most = 199}, {"purse.taxi", "integer", least = -1, most = 127}, {"purse.bus", "integer", least = -1, most = 127}, {"purse.underground", "integer", least = -1, most = 127}, {"purse.black", "integer", least = -1, most = 127}, {"purse.double", "integer", least = -1, most = 127}}},
    {"turnnum", by = "server", fields = {{"turn", "integer", least = 0, most = 255}}},
    {"turn", by = "server", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}}}},
    {"move", by = "server", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}}, {"to", "integer", least = -1, most = 199}, {"ticket", "named", names = {["taxi"] = "taxi", ["bus"] = "bus", ["underground"] = "underground", ["black"] = "black"}}}},
    {"stuck", by = "server", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}}}},
    {"gameover", by = "server", fields = {{"winner", "named", names = {["mr. x"] = "Mr. X", ["detectives"] = "Detectives"}}, {"reason", "text"}}},
    {"chatall", by = "server", fields = {{"user", "text"}, {"text", "text"}}},
    {"chatteam", by = "server", fields = {{"user", "text"}, {"text", "text"}}},
    {"history", by = "server", fields = {{"turn", "integer", least = 0, most = 255}, {"round", "words"}}},
    {"history end", by = "server"},
    {"bad", by = "server", error = true, fields = {{"reason", "text"}}},
    {"ok", by = "answer"},
    {"no", by = "answer", error = true, fields = {{"reason", "text"}}},
    {"bad", by = "answer", error = true, fields = {{"reason", "text"}}},
    {"turn", by = "answer", fields = {{"pawn", "named", names = {["x"] = "X", ["red"] = "Red", ["yellow"] = "Yellow", ["green"] = "Green", ["blue"] = "Blue", ["black"] = "Black"}}}},
    {"turnnum", by = "answer", fields = {{"turn", "integer", least = 0, most = 255}}},
    {"aiinfo", by = "answer", fields = {{"name", "text"}}},
    {"", by = "answer", fields = {{"turn", "integer", least = 0, most = 255}}},
  },
}

parlor {
  name = "venus", title = "Merchant of Venus (AlbertsGameMachine)", framing = "commas",
  port = 4356,
  greetings = {{"server", "CONNECTSTRING,"}, {"client", "LOGIN,"}},
  answers = {
    ["LOGIN"] = {"WELCOME", "ALREADYLOGGEDIN"},
    ["LOGOUTOTHER"] = {"WELCOME"},
    ["ROOMTALK"] = {"MESSAGE"},
    ["PLAYERTALK"] = {"MESSAGE"},
    ["*"] = {"ERROR", "MOVERROR"},
  },
  unfinished = {},
  fields = {
    {"action", "text"},
    {"barter", "integer"},
    {"buys", "integer"},
    {"cash", "integer"},
    {"contents", "text"},
    {"description", "text"},
    {"dice", "text"},
    {"die", "integer"},
    {"directory", "text"},
    {"file", "text"},
    {"first", "bool"},
    {"from_cup", "bool"},
    {"game", "text"},
    {"gui", "text"},
    {"jump", "bool"},
    {"list", "text"},
    {"name", "text"},
    {"number", "integer"},
    {"numbers", "text"},
    {"ok", "bool"},
    {"order", "text"},
    {"password", "text"},
    {"penalty", "integer"},
    {"permanent", "bool"},
    {"player", "integer"},
    {"points", "integer"},
    {"race", "text"},
    {"room", "text"},
    {"secrecy", "text"},
    {"sells", "integer"},
    {"space", "text"},
    {"state", "text"},
    {"status", "text"},
    {"system", "text"},
    {"text", "text"},
    {"token", "text"},
    {"user", "text"},
    {"win_money", "integer"},
    {"worth", "integer"},
  },
  messages = {
    {"LOGIN", by = "client", fields = {{"user", "text"}, {"password", "text"}}},
    {"LOGOUTOTHER", by = "client", fields = {{"user", "text"}, {"password", "text"}}},
    {"NEWROOM", by = "client", fields = {{"room", "text"}}},
    {"CHANGEROOM", by = "client", fields = {{"room", "text"}}},
    {"ROOMTALK", by = "client", fields = {{"text", "text"}}},
    {"PLAYERTALK", by = "client", fields = {{"user", "text"}, {"text", "text"}}},
    {"NEWGAME", by = "client", fields = {{"game", "text"}}},
    {"LOADGAME", by = "client", fields = {{"name", "text"}}},
    {"SAVEGAME", by = "client", fields = {{"name", "text"}}},
    {"REQUESTBOT", by = "client"},
    {"JOIN", by = "client"},
    {"UNJOIN", by = "client"},
    {"OPTIONS", by = "client", fields = {{"win_money", "integer", least = 0, most = 999999999}}},
    {"VALIDATESETUP", by = "client", also = "VALDIATESETUP"},
    {"LIKEOPTIONS", by = "client"},
    {"DONTLIKEOPTIONS", by = "client"},
    {"SELECTSWITCHABLES", by = "client", fields = {{"list", "text"}}},
    {"SELECTDESTINATION", by = "client", fields = {{"space", "text"}, {"jump", "bool"}}},
    {"ENDMOVE", by = "client"},
    {"MULLIGAN", by = "client", fields = {{"die", "integer", least = 0, most = 999999999}}},
    {"NOMULLIGAN", by = "client"},
    {"SELECTPILOTNUMBER", by = "client", fields = {{"number", "integer", least = 0, most = 999999999}}},
    {"BUY", by = "client", fields = {{"token", "text"}}},
    {"SELL", by = "client", fields = {{"token", "text"}}},
    {"TRADEINSHIP", by = "client", fields = {{"token", "text"}}},
    {"PICKUP", by = "client", fields = {{"token", "text"}}},
    {"DROPOFF", by = "client", fields = {{"token", "text"}}},
    {"JETTISON", by = "client", fields = {{"token", "text"}}},
    {"REDEEMIOU", by = "client"},
    {"ENDTURN", by = "client"},
    {"GETRELIC", by = "client"},
    {"LEAVERELIC", by = "client"},
    {"CONNECTSTRING", by = "server", fields = {{"text", "text"}}},
    {"ERROR", by = "server", error = true, fields = {{"text", "text"}}},
    {"WELCOME", by = "server"},
    {"ALREADYLOGGEDIN", by = "server"},
    {"NEWGUI", by = "server", fields = {{"gui", "text"}, {"directory", "text"}, {"file", "text"}}},
    {"DROPGUI", by = "server", fields = {{"gui", "text"}}},
    {"GAMES", by = "server", fields = {{"list", "text"}}},
    {"SAVEGAMES", by = "server", fields = {{"list", "text"}}},
    {"GUIIAM", by = "server", fields = {{"user", "text"}}},
    {"GUIROOM", by = "server", fields = {{"room", "text"}, {"game", "text"}, {"status", "text"}}},
    {"INHABITANT", by = "server", fields = {{"user", "text"}, {"room", "text"}}},
    {"DROPINHABITANT", by = "server", fields = {{"user", "text"}}},
    {"DROPROOM", by = "server", fields = {{"room", "text"}}},
    {"MESSAGE", by = "server", fields = {{"text", "text"}}},
    {"RESET", by = "server", fields = {{"game", "text"}}},
    {"NEWSTATE", by = "server", fields = {{"state", "named", names = {["initialstate"] = "InitialState", ["validatesetup"] = "ValidateSetup", ["techselect"] = "TechSelect", ["selectmove"] = "SelectMove", ["mulligan"] = "Mulligan", ["selectpilotnumber"] = "SelectPilotNumber", ["tradephase"] = "TradePhase", ["asteroidphase"] = "AsteroidPhase", ["terminalstate"] = "TerminalState"}}, {"description", "text"}}},
    {"LEGALACTION", by = "server", fields = {{"action", "named", names = {["login"] = "LOGIN", ["logoutother"] = "LOGOUTOTHER", ["newroom"] = "NEWROOM", ["changeroom"] = "CHANGEROOM", ["roomtalk"] = "ROOMTALK", ["playertalk"] = "PLAYERTALK", ["newgame"] = "NEWGAME", ["loadgame"] = "LOADGAME", ["savegame"] = "SAVEGAME", ["requestbot"] = "REQUESTBOT", ["join"] = "JOIN", ["unjoin"] = "UNJOIN", ["options"] = "OPTIONS", ["validatesetup"] = "VALIDATESETUP", ["likeoptions"] = "LIKEOPTIONS", ["dontlikeoptions"] = "DONTLIKEOPTIONS", ["selectswitchables"] = "SELECTSWITCHABLES", ["selectdestination"] = "SELECTDESTINATION", ["endmove"] = "ENDMOVE", ["mulligan"] = "MULLIGAN", ["nomulligan"] = "NOMULLIGAN", ["selectpilotnumber"] = "SELECTPILOTNUMBER", ["buy"] = "BUY", ["sell"] = "SELL", ["tradeinship"] = "TRADEINSHIP", ["pickup"] = "PICKUP", ["dropoff"] = "DROPOFF", ["jettison"] = "JETTISON", ["redeemiou"] = "REDEEMIOU", ["endturn"] = "ENDTURN", ["getrelic"] = "GETRELIC", ["leaverelic"] = "LEAVERELIC"}}}},
    {"MOVERROR", by = "server", error = true, fields = {{"text", "text"}}},
    {"IAM", by = "server", fields = {{"player", "integer", least = 0, most = 5}}},
    {"PLAYER", by = "server", fields = {{"user", "text"}, {"player", "integer", least = 0, most = 5}}},
    {"OPTIONS", by = "server", fields = {{"win_money", "integer", least = 0, most = 999999999}}},
    {"PLAYEROKSTARTUP", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"ok", "bool"}}},
    {"TURNORDER", by = "server", fields = {{"order", "text"}}},
    {"CURPLAYER", by = "server", fields = {{"player", "integer", least = 0, most = 5}}},
    {"PLAYERMONEY", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"cash", "integer", least = 0, most = 999999999}, {"barter", "integer", least = 0, most = 999999999}, {"worth", "integer", least = 0, most = 999999999}}},
    {"PLAYERRACE", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"race", "named", names = {["1a"] = "1a", ["1b"] = "1b", ["2"] = "2", ["3"] = "3", ["4a"] = "4a", ["4b"] = "4b", ["5"] = "5", ["6"] = "6", ["7a"] = "7a", ["7b"] = "7b", ["8"] = "8", ["9a"] = "9a", ["9b"] = "9b", ["10"] = "10", ["base"] = "base"}}}},
    {"PLAYERLOCATION", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"space", "text"}}},
    {"REMAININGTRANSCOUNT", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"buys", "integer", least = -1, most = 255}, {"sells", "integer", least = -1, most = 255}}},
    {"ADDTOPLAYER", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"token", "text"}}},
    {"SUBTRACTFROMPLAYER", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"token", "text"}}},
    {"ADDTOTRADEBASE", by = "server", fields = {{"race", "named", names = {["1a"] = "1a", ["1b"] = "1b", ["2"] = "2", ["3"] = "3", ["4a"] = "4a", ["4b"] = "4b", ["5"] = "5", ["6"] = "6", ["7a"] = "7a", ["7b"] = "7b", ["8"] = "8", ["9a"] = "9a", ["9b"] = "9b", ["10"] = "10", ["base"] = "base"}}, {"token", "text"}, {"from_cup", "bool"}}},
    {"SUBTRACTFROMTRADEBASE", by = "server", fields = {{"race", "named", names = {["1a"] = "1a", ["1b"] = "1b", ["2"] = "2", ["3"] = "3", ["4a"] = "4a", ["4b"] = "4b", ["5"] = "5", ["6"] = "6", ["7a"] = "7a", ["7b"] = "7b", ["8"] = "8", ["9a"] = "9a", ["9b"] = "9b", ["10"] = "10", ["base"] = "base"}}, {"token", "text"}}},
    {"SOLARSYSTEMPRIVACY", by = "server", fields = {{"system", "text"}, {"secrecy", "text"}}},
    {"BASELOCATION", by = "server", fields = {{"system", "text"}, {"race", "named", names = {["1a"] = "1a", ["1b"] = "1b", ["2"] = "2", ["3"] = "3", ["4a"] = "4a", ["4b"] = "4b", ["5"] = "5", ["6"] = "6", ["7a"] = "7a", ["7b"] = "7b", ["8"] = "8", ["9a"] = "9a", ["9b"] = "9b", ["10"] = "10", ["base"] = "base"}}}},
    {"QBOXPRIVACY", by = "server", fields = {{"space", "text"}, {"secrecy", "text"}}},
    {"QBOXCONTENTS", by = "server", fields = {{"space", "text"}, {"contents", "text"}}},
    {"FACTORYOWNER", by = "server", fields = {{"race", "named", names = {["1a"] = "1a", ["1b"] = "1b", ["2"] = "2", ["3"] = "3", ["4a"] = "4a", ["4b"] = "4b", ["5"] = "5", ["6"] = "6", ["7a"] = "7a", ["7b"] = "7b", ["8"] = "8", ["9a"] = "9a", ["9b"] = "9b", ["10"] = "10", ["base"] = "base"}}, {"player", "integer", least = 0, most = 5}}},
    {"SWITCHABLES", by = "server", fields = {{"list", "text"}}},
    {"SELECTEDSWITCHABLES", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"list", "text"}}},
    {"DICE", by = "server", fields = {{"dice", "text"}}},
    {"MPLEFT", by = "server", fields = {{"points", "integer", least = 0, most = 255}}},
    {"PILOTNUMBERCHOICE", by = "server", fields = {{"numbers", "text"}}},
    {"PILOTNUMBERCHOSEN", by = "server", fields = {{"player", "integer", least = 0, most = 5}, {"number", "integer", least = 0, most = 255}, {"permanent", "bool"}}},
    {"DESTINATION", by = "server", fields = {{"penalty", "integer", least = 0, most = 999999999}, {"first", "bool"}, {"list", "text"}}},
    {"AGEPLAYER", by = "server", fields = {{"player", "integer", least = 0, most = 5}}},
    {"PLAYERWINS", by = "server", fields = {{"player", "integer", least = 0, most = 5}}},
  },
}
