import Cryptography
import Foundation
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The stylesheet, the scripts and the mark. Their addresses contain a digest of the contents, so browsers can cache them
/// permanently.
struct StaticFiles: Sendable {
    struct File: Sendable {
        let bytes: ByteBuffer
        /// Nil if compression is not worthwhile.
        let compressed: ByteBuffer?
        let type: String

        func response(to request: Request) -> Response {
            guard request.method == .get || request.method == .head else {
                return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
            }
            var headers: HTTPFields = [
                .contentType: type, .cacheControl: "public, max-age=31536000, immutable",
                .vary: "Accept-Encoding",
            ]
            var body = bytes
            if let compressed, Gzip.isAccepted(by: request.headers) {
                body = compressed
                headers[.contentEncoding] = "gzip"
            }
            headers[.contentLength] = String(body.readableBytes)
            return Response(
                status: .ok, headers: headers,
                body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body))
        }
    }

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    private var files: [String: File] = [:]
    private var addresses: [String: String] = [:]

    /// - Parameter chartLibrary: The path of the chart library. The file may be missing.
    init(in folder: URL, chartLibrary: String = ChartLibrary.path) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            add(name, try Data(contentsOf: folder.appendingPathComponent(name)))
        }
        if let script = FileManager.default.contents(atPath: chartLibrary) { add(ChartLibrary.name, script) }
    }

    private mutating func add(_ name: String, _ data: Data) {
        guard let type = Self.types[String(name.split(separator: ".").last ?? "")] else { return }
        let bytes = Array(data)
        let digest = Base64URL.encode(Array(SHA256.hash(bytes).prefix(9)))
        let address = "/static/\(digest)/\(name)"
        let buffer = ByteBuffer(bytes: bytes)
        files[address] = File(bytes: buffer, compressed: Gzip.compress(buffer, level: 9), type: type)
        addresses[name] = address
    }

    func find(_ path: String) -> File? { path.hasPrefix("/static/") ? files[path] : nil }

    /// The address of the chart library. Nil if it is not installed; pages then show bars only.
    var chartLibrary: String? { addresses[ChartLibrary.name] }

    /// The address of a file by its name.
    func address(_ name: String) -> String { addresses[name] ?? "/static/\(name)" }
}
