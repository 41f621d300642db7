import Foundation

/// A form with files (`multipart/form-data`, RFC 7578).
struct UploadedForm: Sendable {
    private static let lineEnd = Array("\r\n".utf8)

    var fields = FormFields()
    /// The bytes of each file by its field's name; an empty field has no entry.
    var files: [String: ArraySlice<UInt8>] = [:]

    /// Nil for a body of another format, and for an incomplete one.
    init?(_ body: [UInt8], type: String) {
        guard let boundary = Self.parameter("boundary", of: type), 1...70 ~= boundary.utf8.count else { return nil }
        let mark = Array("--\(boundary)".utf8)
        guard body.starts(with: mark) else { return nil }
        var place = mark.count
        while true {
            let rest = body[place...]
            if rest.starts(with: Array("--".utf8)) { return }
            guard rest.starts(with: Self.lineEnd),
                let end = Self.find(Self.lineEnd + mark, in: body, from: place),
                let head = Self.find(Self.lineEnd + Self.lineEnd, in: body, from: place), head < end
            else { return nil }
            add(body[min(place + 2, head)..<head], body[min(head + 4, end)..<end])
            place = end + 2 + mark.count
        }
    }

    private mutating func add(_ head: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let line = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = Self.parameter("name", of: String(line))
        else { return }
        if Self.parameter("filename", of: String(line)) == nil {
            fields.add(name, String(decoding: value, as: UTF8.self))
        } else if !value.isEmpty {
            files[name] = value
        }
    }

    /// A parameter of a header; browsers write `%22` for a quotation mark in it.
    private static func parameter(_ name: String, of header: String) -> String? {
        for part in header.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == name else { continue }
            return pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \""))
        }
        return nil
    }

    /// The index of the first occurrence.
    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var place = start
            while place + wanted.count <= bytes.count {
                guard let next = bytes[place...].firstIndex(of: wanted[0]), next + wanted.count <= bytes.count else {
                    return nil
                }
                if bytes[next..<next + wanted.count].elementsEqual(wanted) { return next }
                place = next + 1
            }
            return nil
        }
    }
}
