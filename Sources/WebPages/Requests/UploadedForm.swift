import Foundation
import StrictJSON

/// A form with files (`multipart/form-data`, RFC 7578).
struct UploadedForm: Sendable {
    /// The pages' forms have five parts at most.
    static let maxParts = 100
    /// The size of the headers of all parts together. Browsers send about a hundred bytes and a file name with each part.
    static let maxHeaderBytes = 16 * 1024
    private static let lineEnd = Array("\r\n".utf8)

    var fields = FormFields()
    /// The bytes of each file by the name of its field. A field without a chosen file has no entry.
    var files: [String: ArraySlice<UInt8>] = [:]
    /// The name that the browser gave each of these files.
    var fileNames: [String: String] = [:]

    /// Parses a complete body. Nil if the body is incomplete, has another format, or exceeds a limit, also that on
    /// combining marks in the headers of its parts.
    init?(_ body: [UInt8], type: String) {
        // A longer field has thousands of parameters.
        guard type.utf8.count <= 500, let boundary = Self.parameter("boundary", of: type),
            1...70 ~= boundary.utf8.count
        else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        guard body.starts(with: delimiter) else { return nil }
        var position = delimiter.count
        var headerBytes = Self.maxHeaderBytes
        for _ in 0...Self.maxParts {
            let rest = body[position...]
            if rest.starts(with: Array("--".utf8)) { return }
            guard rest.starts(with: Self.lineEnd),
                let headerEnd = Self.find(Self.lineEnd + Self.lineEnd, in: rest.prefix(headerBytes + 4)),
                let end = Self.find(Self.lineEnd + delimiter, in: rest), headerEnd < end
            else { return nil }
            let header = String(decoding: body[min(position + 2, headerEnd)..<headerEnd], as: UTF8.self)
            guard StreamSafeText.isSafe(header) else { return nil }
            add(header, body[min(headerEnd + 4, end)..<end])
            headerBytes -= headerEnd - position
            position = end + 2 + delimiter.count
        }
        return nil
    }

    /// Adds one part of the body. A part without a name is ignored.
    private mutating func add(_ header: String, _ value: ArraySlice<UInt8>) {
        let lines = header.split(separator: "\r\n")
        guard let line = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = Self.parameter("name", of: String(line))
        else { return }
        guard let fileName = Self.parameter("filename", of: String(line)) else {
            fields.add(name, String(decoding: value, as: UTF8.self))
            return
        }
        if !value.isEmpty { (files[name], fileNames[name]) = (value, fileName) }
    }

    /// A parameter of a header field. It can't contain a quotation mark, for which browsers write `%22`.
    private static func parameter(_ name: String, of header: String) -> String? {
        for part in header.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == name else { continue }
            return pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \""))
        }
        return nil
    }

    /// The index of the first occurrence of a pattern.
    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        let offset = bytes.withUnsafeBufferPointer { bytes -> Int? in
            var position = 0
            while position + pattern.count <= bytes.count {
                guard let next = bytes[position...].firstIndex(of: pattern[0]), next + pattern.count <= bytes.count
                else {
                    return nil
                }
                if bytes[next..<next + pattern.count].elementsEqual(pattern) { return next }
                position = next + 1
            }
            return nil
        }
        return offset.map { bytes.startIndex + $0 }
    }
}
