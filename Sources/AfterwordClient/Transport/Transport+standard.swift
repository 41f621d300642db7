/// The transport that a client uses unless it is given another.
public enum StandardTransport {
    #if os(Linux)
        public static func make() -> any Transport { CurlTransport() }
    #elseif canImport(Darwin)
        public static func make() -> any Transport { URLSessionTransport() }
    #endif
}
