import Domain
import Foundation
import Imports
import Store
import StrictJSON

/// The two files of an import, the table and the map.
struct ImportSource: Sendable {
    let file: String
    let delimiter: UInt8
    let encoding: TextEncoding
    private let map: ImportMap
    private let mapName: String

    /// Reads the map before the database is used. Throws if a file can't be opened, and for all faults of the map at
    /// once.
    init(file: String, map name: String, delimiter: String?, encoding: String?) throws(Failure) {
        let delimiter = try Delimiter.byte(delimiter)
        guard let encoding = TextEncoding(named: encoding ?? TextEncoding.utf8.name) else {
            let names = TextEncoding.names.joined(separator: ", ")
            throw .misuse("--encoding has the invalid value \"\(encoding ?? "")\"; expected one of \(names).")
        }
        self.encoding = encoding
        self.file = file
        self.delimiter = delimiter
        mapName = name
        if file == "-" { try StandardStreams.requireInput() }
        var status = stat()
        if file != "-", stat(file, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR || access(file, R_OK) != 0 {
            throw .misuse("\(file) cannot be read: name a CSV file, or - for the standard input.")
        }
        guard let bytes = FileManager.default.contents(atPath: name) else {
            throw .misuse("The map \(name) cannot be read: pass a JSON file with --map.")
        }
        do throws(Problem) {
            map = try ImportMap.read(Array(bytes), file: file)
        } catch {
            throw Self.mapFailure(name, error.faults.map { "\($0.pointer): \($0.detail)" })
        }
    }

    /// An importer for the map. If the map names a series by its id, the host needs to be one of its editors.
    func importer(for host: Account, in store: Store) throws -> Importer {
        map.series.id == nil ? try store.importer : try store.importer(for: .acting(as: host))
    }

    /// The failure of an import into a series that the host may not edit.
    func accessFailure(_ host: Account) -> Failure {
        Self.mapFailure(
            mapName,
            [
                "/series/id: \(host.email) can't add to a series with this id: it does not exist, is in the trash, "
                    + "or has other editors."
            ])
    }

    /// Reads the file once and plans its import.
    func plan(for host: Account, in store: Store) async throws -> ImportPlan {
        var map = map
        do {
            try await store.requireTimeZone(map.meeting.timeZone)
            try await map.findSeries(for: .acting(as: host), in: store)
        } catch is ImportAccessDenied {
            throw accessFailure(host)
        } catch let problem as Problem {
            throw Self.mapFailure(mapName, problem.faults.map { "/meeting\($0.pointer): \($0.detail)" })
        }
        let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("\(file) cannot be read (\(String(cString: strerror(errno)))).") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var planner = ImportPlanner(map: map, hostID: host.id, delimiter: delimiter, encoding: encoding)
        do {
            while true {
                let bytes = try await Pipe.read(descriptor, named: file)
                if bytes.isEmpty { break }
                try planner.read(bytes)
            }
            return try planner.finish()
        } catch let failure as ImportFailure {
            switch failure {
            case .encoding: throw Failure("\(file) \(failure.sentences.joined(separator: " "))")
            case .file: throw Failure("\(file): \(failure.sentences.joined(separator: " "))")
            case .map: throw Self.mapFailure(mapName, failure.sentences)
            }
        }
    }

    private static func mapFailure(_ name: String, _ faults: [String]) -> Failure {
        .misuse(faults.map { "\(name) \($0)" }.joined(separator: "\n"))
    }
}
