import Contract

extension Endpoint {
    static let terms: [Endpoint] = []
}
