import Contract

extension Endpoint {
    static let pictures: [Endpoint] = []
}
