-- One submission of five answers a request; each client sends its own idempotency keys.
local counter = 0
local thread = 0

function setup(t)
   t:set("number", thread)
   thread = thread + 1
end

function request()
   counter = counter + 1
   local pace = counter % 5 + 1
   local body = '{"answers":{"pace":' .. pace .. ',"depth":' .. (counter % 11) ..
      ',"topics":["demo","talk"],"role":"guest","better":"A little more time for questions, please."}}'
   return wrk.format("POST", nil, {
      ["Content-Type"] = "application/json",
      ["Idempotency-Key"] = string.format("bench-%s-%d-%d", wrk.path:sub(-40, -13), number, counter) .. os.time(),
   }, body)
end

local bad = 0
function response(status)
   if status ~= 201 then bad = bad + 1 end
end

function done(summary, latency)
   io.write(string.format("RESULT %d %d %d %.2f %.2f\n", summary.requests, summary.duration,
      summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
