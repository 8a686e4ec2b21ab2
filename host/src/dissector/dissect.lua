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
