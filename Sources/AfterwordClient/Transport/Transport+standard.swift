/// What a service is called through unless something else is named.
public enum StandardTransport {
    #if canImport(AsyncHTTPClient)
        public static func make() -> any Transport { AsyncHTTPClientTransport() }
    #elseif canImport(Darwin)
        public static func make() -> any Transport { URLSessionTransport() }
    #endif
}
