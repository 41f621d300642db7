import HTTPTypes
import StrictJSON

extension RouteTable {
    /// The differences between the table and the document, one sentence each: operations, and names of query
    /// parameters.
    public func differences(_ document: OpenAPIDocument) -> [String] {
        let served = Set(routes.map(\.name))
        let described = Set(document.operations)
        var differences = served.subtracting(described).map { "\($0) is served and not described." }
        differences += described.subtracting(served).map { "\($0) is described and not served." }
        for route in routes where described.contains(route.name) {
            let names = document.queryParameters(route.method.rawValue.lowercased(), route.path)
            if Set(names) != Set(route.query) {
                differences.append("\(route.name) takes \(route.query.sorted()), described are \(names.sorted()).")
            }
        }
        return differences.sorted()
    }
}

extension OpenAPIDocument {
    /// The parameters of the path and of the operation, with references resolved.
    fileprivate func queryParameters(_ method: String, _ path: String) -> [String] {
        let item = value["paths"]?[path]
        let parameters = (item?["parameters"]?.array ?? []) + (item?[method]?["parameters"]?.array ?? [])
        return parameters.map(resolve).filter { $0["in"] == .string("query") }.compactMap { $0["name"]?.string }
    }

    private func resolve(_ node: JSONValue) -> JSONValue {
        guard let reference = node["$ref"]?.string else { return node }
        return reference.split(separator: "/").dropFirst().reduce(value) { $0[String($1)] ?? .null }
    }
}
