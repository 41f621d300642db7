import Foundation
import Yams

/// A file of settings, one level of keys in YAML or JSON, which YAML contains.
enum SettingsFile {
    /// Throws for a file that cannot be read, and for a key that is no setting or stands twice.
    static func read(_ path: String) throws(Failure) -> [Setting: String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            let reason = String(cString: strerror(errno))
            throw .misuse("The settings file \(path) cannot be read (\(reason)): name another with --config.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .misuse("The settings file \(path) is not UTF-8.")
        }
        return try parse(text, path)
    }

    private static func parse(_ text: String, _ path: String) throws(Failure) -> [Setting: String] {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw .misuse("The settings file \(path) is neither YAML nor JSON\(line(of: error)).")
        }
        guard let root, root != Node("") else { return [:] }
        guard let mapping = root.mapping else {
            throw .misuse("The settings file \(path) must hold lines such as `port: 8080`.")
        }
        var settings: [Setting: String] = [:]
        for (key, value) in mapping {
            let name = key.string ?? ""
            guard let setting = Setting(rawValue: name) else {
                let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
                throw .misuse(
                    "\(name) in \(path) is no setting: it takes \(known)."
                )
            }
            guard let scalar = value.scalar else { throw .misuse("\(name) in \(path) must be a single value.") }
            guard settings.updateValue(scalar.string, forKey: setting) == nil else {
                throw .misuse("\(name) stands twice in \(path).")
            }
        }
        return settings
    }

    private static func line(of error: any Error) -> String {
        switch error as? YamlError {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            " (line \(mark.line))"
        default: ""
        }
    }
}
