import Domain
import HTTPTypes
import Store
import StrictJSON

/// Results as pictures.
struct PictureRoutes: Sendable {
    let store: Store

    var routes: [Route] { [] }
}
