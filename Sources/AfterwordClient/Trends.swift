import Contract

extension Endpoint {
    static let trends: [Endpoint] = []
}
