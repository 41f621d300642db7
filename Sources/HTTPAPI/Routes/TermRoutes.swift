import Domain
import HTTPTypes
import Store
import StrictJSON

/// The words of a text question's answers.
struct TermRoutes: Sendable {
    let store: Store

    var routes: [Route] { [] }
}
