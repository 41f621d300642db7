import HTTPAPI
import HTTPTypes
import HummingbirdCore

extension PageRequest {
    /// Passes on an event stream of results to a page of people without an account, which may be open on thousands of
    /// phones.
    ///
    /// The page loads itself again after an event, so its stream has the revisions without the results. The data of
    /// each event is the shortest time between two loads of one page, in milliseconds.
    ///
    /// - Parameter path: The path of the stream in the API.
    func relayChanges(_ path: String, as authorization: String? = nil) async throws -> PageResponse {
        var response = try await kit.api.relay(path, for: self, as: authorization)
        if response.status == .ok {
            response.body = response.body.replacingResults { [api = kit.api] in
                String(GuestPace.interval(viewers: api.viewers))
            }
        }
        return PageResponse(relayed: response)
    }
}

/// How often pages of people without an account are loaded again.
enum GuestPace {
    /// The largest number of loads of all pages together, per second.
    static let loadsPerSecond = 500

    /// The shortest time between two loads of one page, in milliseconds: a second, or longer if many viewers are
    /// connected, so that answers are still received at once.
    static func interval(viewers: Int) -> Int { max(1_000, viewers * 1_000 / loadsPerSecond) }
}
