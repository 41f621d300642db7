import Foundation
import YAML

/// A settings file with one level of keys, in YAML or JSON (which is valid YAML).
enum SettingsFile {
    /// Throws if the file can't be read, and for an unknown or repeated key.
    static func read(_ path: String) throws(Failure) -> [Setting: String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            let reason = String(cString: strerror(errno))
            throw .misuse("The settings file \(path) cannot be read (\(reason)): choose another with --config.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .misuse("The settings file \(path) is not UTF-8.")
        }
        return try parse(text, path)
    }

    private static func parse(_ text: String, _ path: String) throws(Failure) -> [Setting: String] {
        let root: YAMLNode?
        do {
            root = try YAMLNode(parsing: text)
        } catch {
            throw .misuse("The settings file \(path) is neither YAML nor JSON (line \(error.line)).")
        }
        guard let root, root.text != "" else { return [:] }
        guard case .mapping(let pairs) = root else {
            throw .misuse("The settings file \(path) must contain lines such as `port: 8080`.")
        }
        var settings: [Setting: String] = [:]
        for pair in pairs {
            let name = pair.key.text ?? ""
            guard let setting = Setting(rawValue: name) else {
                let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
                throw .misuse(
                    "\(name) in \(path) is not a setting; expected one of \(known)."
                )
            }
            guard let text = pair.value.text else { throw .misuse("\(name) in \(path) must be a single value.") }
            guard settings.updateValue(text, forKey: setting) == nil else {
                throw .misuse("\(name) is given twice in \(path).")
            }
        }
        return settings
    }
}
