import Domain
import HTTPTypes
import Store
import StrictJSON

/// Results under a condition, and two questions against each other.
struct FilterRoutes: Sendable {
    let store: Store

    var routes: [Route] { [] }
}
