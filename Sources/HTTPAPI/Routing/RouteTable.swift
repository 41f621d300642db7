import Domain
import HTTPTypes
import StrictJSON

/// All routes, found by path and method.
///
/// The raw path is matched segment by segment, so that an encoded slash stays inside its parameter and nothing is
/// decoded twice. A literal takes precedence over a parameter.
public struct RouteTable: Sendable {
    /// Two routes match the same request.
    public struct Conflict: Error, CustomStringConvertible {
        public let description: String
    }

    enum Match {
        /// `index` is the route's index in ``RouteTable/routes``.
        case found(index: Int, parameters: [(name: Substring, value: String)])
        /// The path exists, but only with these methods.
        case otherMethods([HTTPRequest.Method])
        case nowhere
    }

    /// A node of the path tree, whose levels are the segments.
    private struct Node {
        var literals: [String: Int] = [:]
        var parameter: Int?
        /// Indices into ``routes``, one per method.
        var routes: [Int] = []
    }

    /// More than the segments of any route. What follows them in a path is not split.
    private static let maxSegments = 32

    public let routes: [Route]
    private var nodes = [Node()]
    /// The names of each route's path parameters.
    private var parameterNames: [[Substring]] = []

    public init(_ routes: [Route]) throws(Conflict) {
        self.routes = routes
        for (index, route) in routes.enumerated() {
            var node = 0
            var names: [Substring] = []
            for segment in route.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                if segment.hasPrefix("{"), segment.hasSuffix("}") {
                    names.append(segment.dropFirst().dropLast())
                    let next = nodes[node].parameter ?? addNode()
                    nodes[node].parameter = next
                    node = next
                } else {
                    let literal = String(segment)
                    let next = nodes[node].literals[literal] ?? addNode()
                    nodes[node].literals[literal] = next
                    node = next
                }
            }
            if nodes[node].routes.contains(where: { routes[$0].method == route.method }) {
                throw Conflict(description: "\(route.method) \(route.path) is defined twice.")
            }
            nodes[node].routes.append(index)
            parameterNames.append(names)
        }
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// HEAD matches the route of GET.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        var path = path
        return path.withUTF8 { utf8 in
            guard utf8.first == UInt8(ascii: "/") else { return .nowhere }
            let segments = utf8.dropFirst().split(
                separator: UInt8(ascii: "/"), maxSplits: Self.maxSegments, omittingEmptySubsequences: false)
            var values: [String] = []
            guard let node = find(segments[...], from: 0, &values) else { return .nowhere }
            let wanted = method == .head ? .get : method
            guard let index = nodes[node].routes.first(where: { routes[$0].method == wanted }) else {
                return .otherMethods(methods(at: node))
            }
            return .found(index: index, parameters: zip(parameterNames[index], values).map { (name: $0, value: $1) })
        }
    }

    private func find(
        _ segments: ArraySlice<Slice<UnsafeBufferPointer<UInt8>>>, from node: Int, _ values: inout [String]
    ) -> Int? {
        guard let segment = segments.first else { return nodes[node].routes.isEmpty ? nil : node }
        if let next = nodes[node].literals[String(decoding: segment, as: UTF8.self)],
            let found = find(segments.dropFirst(), from: next, &values)
        {
            return found
        }
        guard let next = nodes[node].parameter, !segment.isEmpty, let value = PercentEncoding.decode(segment) else {
            return nil
        }
        values.append(value)
        if let found = find(segments.dropFirst(), from: next, &values) { return found }
        values.removeLast()
        return nil
    }

    private func methods(at node: Int) -> [HTTPRequest.Method] {
        var methods = nodes[node].routes.map { routes[$0].method }
        if methods.contains(.get) { methods.append(.head) }
        methods.append(.options)
        return methods.sorted { $0.rawValue < $1.rawValue }
    }
}

extension RouteTable {
    /// Compares the operations and the names of their query parameters with the document. Returns one sentence for each
    /// difference.
    public func differences(_ document: OpenAPIDocument) -> [String] {
        let served = Set(routes.map(\.name))
        let described = Set(document.operations)
        var differences = served.subtracting(described).map { "\($0) is served but not described." }
        differences += described.subtracting(served).map { "\($0) is described but not served." }
        for route in routes where described.contains(route.name) {
            let names = document.queryParameters(route.method.rawValue.lowercased(), route.path)
            if Set(names) != Set(route.query) {
                differences.append("\(route.name) takes \(route.query.sorted()), but \(names.sorted()) are described.")
            }
        }
        return differences.sorted()
    }
}

extension OpenAPIDocument {
    /// The names of the query parameters of the path and of the operation, with references resolved.
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
