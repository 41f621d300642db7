import HTTPTypes
import NIOCore

@testable import HTTPServer

extension FuzzTarget {
    /// Request heads that the shortcut parses before the engine does. If the shortcut finds a request, llhttp (the
    /// engine's parser) must find the same request, and the next one right after it.
    static let requests: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        let bytes = rest.array
        switch RequestFrame.read(ByteBuffer(bytes: bytes)) {
        case .unknown: return
        case .incomplete:
            let engine = EngineParser()
            let isAccepted = engine.read(bytes)
            law(engine.requests.isEmpty || !isAccepted, "The engine finds no complete head either.")
        case .request(let frame):
            law(frame.headLength <= min(bytes.count, RequestFrame.longestHead), "A head is a part of the bytes.")
            law(frame.bodyLength >= 0, "A body has a length.")
            checkPrefix(bytes, of: frame, selector)
            compare(frame, with: bytes)
        }
    }

    /// A head that is cut short is never taken for a complete one.
    private static func checkPrefix(_ bytes: [UInt8], of frame: RequestFrame, _ selector: Int) {
        let length = frame.headLength * selector / 256
        guard case .incomplete = RequestFrame.read(ByteBuffer(bytes: Array(bytes.prefix(length)))) else {
            return law(false, "\(length) bytes of a head are incomplete.")
        }
    }

    private static func compare(_ frame: RequestFrame, with bytes: [UInt8]) {
        var sent = Array(bytes.prefix(frame.length))
        sent += [UInt8](repeating: UInt8(ascii: "x"), count: frame.length - sent.count)
        let engine = EngineParser()
        let isAccepted = engine.read(sent)
        if let head = frame.plain {
            law(isAccepted, "The engine accepts a plain request.")
            check(head, against: engine)
            // The engine reads nothing after the last request.
            if head.closesConnection { return }
        } else if !isAccepted {
            return
        }
        law(engine.requests.map(\.bodyLength) == [frame.bodyLength], "The engine finds the same body.")
        law(engine.requests.allSatisfy(\.isComplete), "The request ends where the frame does.")
        let isNextAccepted = engine.read(Array("GET /next HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        law(isNextAccepted && engine.requests.count == 2, "The next request follows.")
        law(engine.requests.last?.target == Array("/next".utf8), "The next request follows.")
    }

    private static func check(_ head: PlainHead, against engine: EngineParser) {
        guard let request = engine.requests.first else { return law(false, "The engine finds a request.") }
        law(isSame(request.method, head.method.rawValue), "The engine finds the same method.")
        law(request.target == Array(head.path.utf8), "The engine finds the same path.")
        var names: Set<String> = []
        for (name, value) in request.fields {
            let name = String(decoding: name, as: UTF8.self).lowercased()
            law(names.insert(name).inserted, "No field is repeated in a plain request.")
            law(head.value(name).map { Array($0.utf8) } == value, "The engine finds the same value of \(name).")
            // llhttp keeps trailing whitespace; the engine trims it later.
            law(![0x20, 0x09].contains(value.last), "No value of a plain request ends with whitespace.")
            if name == "host" { law(HostField.isValid(value), "The host of a plain request is valid.") }
        }
        law(names.contains("host"), "A plain request has a host.")
        law(head.request.headerFields.count == names.count - 1, "The request has all fields but the host.")
        law(request.keepsAlive || head.closesConnection, "The engine closes no connection that the shortcut keeps.")
    }
}
