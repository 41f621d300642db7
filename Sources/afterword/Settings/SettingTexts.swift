/// The settings as unparsed texts, each from the source with the highest priority.
struct SettingTexts: Sendable {
    struct Entry: Sendable {
        var text: String
        var source: SettingSource
    }

    private var entries: [Setting: Entry]

    subscript(setting: Setting) -> Entry? { entries[setting] }

    /// Flags override the environment, which overrides the file, which overrides the defaults. Throws for an unknown
    /// variable or key.
    init(
        flags: [Setting: String], config: String?, environment: [String: String], defaults: [Setting: String]
    ) throws(Failure) {
        entries = defaults.mapValues { Entry(text: $0, source: .standard) }
        if let path = config ?? environment[Setting.configVariable] {
            for (setting, text) in try SettingsFile.read(path) {
                entries[setting] = Entry(text: text, source: .file(path))
            }
        }
        let variables = Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0.variable, $0) })
        for (name, text) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(Setting.environmentPrefix) && name != Setting.configVariable {
            guard let setting = variables[name] else {
                throw .misuse(
                    "The environment variable \(name) is not a setting of afterword: `afterword serve --help` lists them."
                )
            }
            entries[setting] = Entry(text: text, source: .environment)
        }
        for (setting, text) in flags { entries[setting] = Entry(text: text, source: .flag) }
    }

    func value<Value>(_ setting: Setting, _ what: String, _ read: (String) -> Value?) throws(Failure) -> Value {
        guard let value = try optional(setting, what, read) else {
            throw .misuse("\(setting.flag) is missing; expected \(what).")
        }
        return value
    }

    func number(_ setting: Setting, _ what: String, in range: ClosedRange<Int>) throws(Failure) -> Int {
        guard let number = try optionalNumber(setting, what, in: range) else {
            throw .misuse("\(setting.flag) is missing; expected \(what).")
        }
        return number
    }

    /// Returns nil if no source contains the setting.
    func optionalNumber(
        _ setting: Setting, _ what: String, in range: ClosedRange<Int>
    ) throws(Failure) -> Int? {
        try optional(setting, "\(what), \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Returns nil if no source contains the setting. Throws if the text is empty or `read` returns nil.
    ///
    /// - Parameters:
    ///   - what: A description of the expected value, for error messages.
    ///   - isSecret: Whether error messages must not contain the value.
    ///   - read: Parses the text. Returns nil if it is invalid.
    func optional<Value>(
        _ setting: Setting, _ what: String, isSecret: Bool = false, _ read: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let entry = entries[setting] else { return nil }
        if !entry.text.isEmpty, let value = read(entry.text) { return value }
        let finding =
            if entry.text.isEmpty {
                "is empty"
            } else if isSecret {
                "has an invalid value"
            } else {
                "has the invalid value \"\(entry.text)\""
            }
        throw .misuse("\(Self.place(of: setting, entry.source)) \(finding); expected \(what).")
    }

    private static func place(of setting: Setting, _ source: SettingSource) -> String {
        switch source {
        case .flag: setting.flag
        case .environment: setting.variable
        case .file(let path): "\(setting.rawValue) in \(path)"
        case .standard: "The default of \(setting.flag)"
        }
    }
}
