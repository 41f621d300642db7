import CLibPQ

/// The options that a database URL or `key=value` string sets, by libpq's keywords.
public struct ConnectionOptions: Sendable {
    let all: [(keyword: String, value: String)]

    /// Throws if the URL is invalid.
    public init(url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard var option = options else {
            // libpq's message may quote part of the URL, which may contain a password.
            throw PostgresError(.configuration, "the database URL is invalid")
        }
        var all: [(keyword: String, value: String)] = []
        while let keyword = option.pointee.keyword {
            defer { option += 1 }
            if let value = option.pointee.val { all.append((String(cString: keyword), String(cString: value))) }
        }
        self.all = all
    }

    private subscript(_ keyword: String) -> String? { all.first { $0.keyword == keyword }?.value }

    /// Whether nobody on the network can read or change what is sent: the server is on this machine, or its certificate
    /// and name are verified. libpq's default neither verifies them nor requires TLS.
    ///
    /// - Parameter environment: The variables from which libpq takes the options that the URL does not set.
    public func areProtected(environment: [String: String]) -> Bool {
        let mode = self["sslmode"] ?? environment["PGSSLMODE"]
        let hosts = self["hostaddr"] ?? self["host"] ?? environment["PGHOSTADDR"] ?? environment["PGHOST"] ?? ""
        return mode == "verify-full" || hosts.split(separator: ",").allSatisfy(Self.isOnThisMachine)
    }

    /// A host that begins with `/` is the folder of a Unix socket, and one with `@` is an abstract socket.
    private static func isOnThisMachine(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || host.hasPrefix("127.") || ["localhost", "::1"].contains(host)
    }
}
