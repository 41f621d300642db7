import Domain
import Foundation
import Store

/// The folder of exported charts. Files are replaced atomically and named after the question that they show.
struct PictureFolder: Sendable {
    /// The path as given by the user.
    let path: String
    /// Whether the folder contained temporary files at the beginning. This is checked only once, because there are many
    /// charts.
    private let hasTemporaryFiles: Bool

    /// Creates the folder if it does not exist.
    init(_ path: String) throws(Failure) {
        if try !Self.exists(path) { try Self.make(path) }
        self.path = path
        hasTemporaryFiles = TemporaryReplacement.exist(in: path)
    }

    /// Whether the folder exists. Throws a misuse failure if the path is not a folder.
    @discardableResult
    static func exists(_ path: String) throws(Failure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .misuse("\(path) is not a folder, and each chart is a separate file: name a folder.")
        }
        return true
    }

    /// Creates the folder and its missing parents.
    private static func make(_ path: String) throws(Failure) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            guard mkdir(String(path[..<end]), 0o777) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            throw Failure("The folder \(path) cannot be created (\(reason)): choose another place.")
        }
    }

    func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        let file = try AtomicFile(path.hasSuffix("/") ? path + name : "\(path)/\(name)", sweeps: hasTemporaryFiles)
        try file.write(bytes)
        try file.commit()
    }

    /// A file name such as `03-pace.svg`, prefixed with the round in a series, and with the series if there are
    /// several.
    ///
    /// - Parameter position: The position of the question in its form, from 1.
    static func name(
        _ key: String, at position: Int, of meeting: Meeting, in extent: ExportScope.Extent, format: PictureFormat
    ) -> String {
        let question = "\(padded(position, 2))-\(key).\(format.rawValue)"
        let round = "round-\(padded(meeting.round, 3))-\(question)"
        return switch extent {
        case .meeting: question
        case .series: round
        // Series may have the same title, so a part of the id makes the name unique.
        case .all: "\(word(meeting.series))-\(meeting.seriesID.lowercased.suffix(12))-\(round)"
        }
    }

    /// A title as part of a portable file name: letters and digits of any script, at most 90 bytes.
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
