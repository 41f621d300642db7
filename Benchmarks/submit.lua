-- Each request submits five answers. Requests are built in advance, so that the client uses little CPU time. The
-- service generates an idempotency key for each, as for every client that sends none.
local requests = {}
local counter = 0

function init()
   for number = 1, 55 do
      local body = '{"answers":{"pace":' .. (number % 5 + 1) .. ',"depth":' .. (number % 11) ..
         ',"topics":["demo","talk"],"role":"guest","better":"A little more time for questions, please."}}'
      requests[number] = wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
   end
end

function request()
   counter = counter + 1
   return requests[counter % #requests + 1]
end

function done(summary, latency)
   io.write(string.format("RESULT %d %d %d %.2f %.2f\n", summary.requests, summary.duration,
      summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
