import Domain
import Foundation
import Store

/// Where pictures go: each file is there whole or not at all, under a name that says what it shows.
struct PictureFolder: Sendable {
    /// As the person named it.
    let path: String
    /// Looked for once: pictures are many.
    private let hasDrafts: Bool

    /// Makes the folder where there is none.
    init(_ path: String) throws(Failure) {
        if try !Self.isThere(path) { try Self.make(path) }
        self.path = path
        hasDrafts = TemporaryReplacement.areLeft(in: path)
    }

    /// Whether the folder is there; a misuse where something else is.
    @discardableResult
    static func isThere(_ path: String) throws(Failure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .misuse("\(path) is no folder, and charts are a file each: name a folder.")
        }
        return true
    }

    /// With the folders above it that are not there.
    private static func make(_ path: String) throws(Failure) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            guard mkdir(String(path[..<end]), 0o777) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            throw Failure("The folder \(path) cannot be made (\(reason)): name another place.")
        }
    }

    func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        let file = try AtomicFile(path.hasSuffix("/") ? path + name : "\(path)/\(name)", sweeps: hasDrafts)
        do throws(Failure) {
            try file.write(bytes)
            try file.commit()
        } catch {
            file.discard()
            throw error
        }
    }

    /// `03-pace.svg`, with the round of a series in front, and the series where there are several.
    ///
    /// - Parameter position: of the question in its form, from 1.
    static func name(
        _ key: String, at position: Int, of meeting: Meeting, in extent: ExportScope.Extent, format: PictureFormat
    ) -> String {
        let question = "\(padded(position, 2))-\(key).\(format.rawValue)"
        let round = "round-\(padded(meeting.round, 3))-\(question)"
        return switch extent {
        case .meeting: question
        case .series: round
        // Two series may have one title: a part of the id tells them apart.
        case .all: "\(word(meeting.series))-\(meeting.seriesID.lowercased.suffix(12))-\(round)"
        }
    }

    /// A title as part of a file's name anywhere: letters and digits of any script, in at most 90 bytes.
    static func word(_ title: String) -> String {
        var word = ""
        for character in title.lowercased() {
            let next = character.isLetter || character.isNumber ? String(character) : "-"
            guard word.utf8.count + next.utf8.count <= 90 else { break }
            if next != "-" || !(word.isEmpty || word.hasSuffix("-")) { word += next }
        }
        while word.hasSuffix("-") { word.removeLast() }
        return word.isEmpty ? "series" : word
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
