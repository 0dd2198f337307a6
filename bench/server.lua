-- The requests of bench/server.sh: 100 sensors, 1000 points, one time. FORM is json (points and answer as text), grid (a grid of
-- 40 x 25 and the answer as float32) or binary (Open Inference Protocol, everything in binary). DELAY_MS waits between requests.
local form, wait = os.getenv("FORM") or "json", tonumber(os.getenv("DELAY_MS") or "0")
local function places(n, offset)
  local all = {}
  for i = offset, offset + n - 1 do
    all[#all + 1] = { i * 0.754877666 % 1, i * 0.569840290 % 1 }
  end
  return all
end
local function text(rows)
  local parts = {}
  for _, row in ipairs(rows) do
    parts[#parts + 1] = "[" .. table.concat(row, ",") .. "]"
  end
  return "[" .. table.concat(parts, ",") .. "]"
end
local function readings()
  local rows = {}
  for i = 0, 99 do
    rows[#rows + 1] = { i / 100 }
  end
  return rows
end
local sensors, query = places(100, 5000), places(1000, 0)

wrk.method = "POST"
if form == "binary" then
  local ffi = require("ffi")
  local tensors, bytes = {}, {}
  local function add(name, shape, rows)
    local numbers = {}
    for _, row in ipairs(rows) do
      for _, x in ipairs(row) do numbers[#numbers + 1] = x end
    end
    bytes[#bytes + 1] = ffi.string(ffi.new("double[?]", #numbers, numbers), 8 * #numbers)
    tensors[#tensors + 1] = string.format(
      '{"name":"%s","shape":[%s],"datatype":"FP64","parameters":{"binary_data_size":%d}}', name, shape, 8 * #numbers)
  end
  add("sensors", "100,2", sensors)
  add("values", "100,1", readings())
  add("s", "1", { { 0 } })
  add("times", "1", { { 0.008 } })
  add("query", "1000,2", query)
  local json = '{"inputs":[' .. table.concat(tensors, ",") .. '],"parameters":{"binary_data_output":true}}'
  wrk.path = "/v2/models/heat/infer"
  wrk.headers["Inference-Header-Content-Length"] = tostring(#json)
  wrk.body = json .. table.concat(bytes)
else
  local wanted = form == "grid" and '{"grid":[40,25]}' or '{"points":' .. text(query) .. "}"
  wrk.path = "/v1/models/heat/predict"
  wrk.headers["Content-Type"] = "application/json"
  if form == "grid" then wrk.headers["Accept"] = "application/octet-stream" end
  wrk.body = '{"sensors":' .. text(sensors) .. ',"values":' .. text(readings()) .. ',"s":0,"times":[0.008],"query":' .. wanted .. "}"
end

function delay()
  return wait
end

function done(summary, latency)
  io.write(string.format("RESULT %.0f requests/s, p50 %.2f ms, p99 %.2f ms, errors %d\n",
    1e6 * summary.requests / summary.duration, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
