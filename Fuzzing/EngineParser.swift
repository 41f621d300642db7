import CNIOLLHTTP

/// llhttp with the settings that the engine uses (`NIOHTTP1.BetterHTTPParser`).
final class EngineParser {
    struct Request {
        var method = ""
        var target: [UInt8] = []
        var fields: [(name: [UInt8], value: [UInt8])] = []
        var bodyLength = 0
        var keepsAlive = false
        var isComplete = false
        /// Whether the last bytes belonged to a value. The next bytes of a name then begin another field.
        fileprivate var endsWithValue = true
    }

    /// The requests with a complete head.
    private(set) var requests: [Request] = []
    /// The request whose head is being read.
    private var current = Request()
    private let parser = UnsafeMutablePointer<llhttp_t>.allocate(capacity: 1)
    private let settings = UnsafeMutablePointer<llhttp_settings_t>.allocate(capacity: 1)

    init() {
        c_nio_llhttp_settings_init(settings)
        settings.pointee.on_url = { EngineParser.of($0).add(\.target, $1, $2) }
        settings.pointee.on_header_field = { EngineParser.of($0).addName($1, $2) }
        settings.pointee.on_header_value = { EngineParser.of($0).addValue($1, $2) }
        settings.pointee.on_headers_complete = { EngineParser.of($0).endHead() }
        settings.pointee.on_body = { EngineParser.of($0).addBody($2) }
        settings.pointee.on_message_complete = { parser in
            // The engine also does this, because of a bug in llhttp (nodejs/llhttp#202).
            parser?.pointee.content_length = 0
            return EngineParser.of(parser).endMessage()
        }
        c_nio_llhttp_init(parser, HTTP_REQUEST, settings)
        parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        parser.deallocate()
        settings.deallocate()
    }

    /// Reads further bytes; returns false if they are refused.
    func read(_ bytes: [UInt8]) -> Bool {
        // After an upgrade request, llhttp stops with an error, because the following bytes are not HTTP.
        bytes.withUnsafeBytes { c_nio_llhttp_execute_swift(parser, $0.baseAddress, $0.count) } == HPE_OK
    }

    /// The `EngineParser` that owns this parser and receives its callbacks.
    private static func of(_ parser: UnsafePointer<llhttp_t>!) -> EngineParser {
        Unmanaged.fromOpaque(parser.pointee.data).takeUnretainedValue()
    }

    private func add(_ part: WritableKeyPath<Request, [UInt8]>, _ start: UnsafePointer<CChar>?, _ count: Int) -> CInt {
        current[keyPath: part] += bytes(start, count)
        return 0
    }

    private func addName(_ start: UnsafePointer<CChar>?, _ count: Int) -> CInt {
        if current.endsWithValue { current.fields.append(([], [])) }
        current.endsWithValue = false
        current.fields[current.fields.count - 1].name += bytes(start, count)
        return 0
    }

    private func addValue(_ start: UnsafePointer<CChar>?, _ count: Int) -> CInt {
        current.endsWithValue = true
        current.fields[current.fields.count - 1].value += bytes(start, count)
        return 0
    }

    private func endHead() -> CInt {
        let method = llhttp_method(rawValue: UInt32(parser.pointee.method))
        current.method = String(cString: c_nio_llhttp_method_name(method))
        current.keepsAlive = c_nio_llhttp_should_keep_alive(parser) != 0
        requests.append(current)
        current = Request()
        return 0
    }

    private func addBody(_ count: Int) -> CInt {
        requests[requests.count - 1].bodyLength += count
        return 0
    }

    private func endMessage() -> CInt {
        requests[requests.count - 1].isComplete = true
        return 0
    }

    private func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
        UnsafeBufferPointer(start: start, count: count).map(UInt8.init(bitPattern:))
    }
}
