import Domain
import HTTPTypes
import Store
import StrictJSON

/// Results over the rounds of a series, by time, and in order of rank.
struct RoundResultRoutes: Sendable {
    let store: Store

    var routes: [Route] { [] }
}
