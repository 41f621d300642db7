import Contract

extension Endpoint {
    static let filters: [Endpoint] = []
}
