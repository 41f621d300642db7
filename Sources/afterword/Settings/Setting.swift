/// One setting by its name in a file; its flag and its environment variable follow from that.
enum Setting: String, CaseIterable, Sendable {
    case host
    case port
    case healthPort = "health-port"
    case publicURL = "public-url"
    case databaseURL = "database-url"
    case data
    case secretFile = "secret-file"
    case logLevel = "log-level"
    case poolSize = "pool-size"
    case intakeConnections = "intake-connections"
    case intakeBound = "intake-bound"
    case signUp = "sign-up"
    case sendmail
    case mailFrom = "mail-from"
    case trustedProxies = "trusted-proxies"
    case webhooksToPrivate = "webhooks-to-private"
    case frameAncestors = "frame-ancestors"

    static let environmentPrefix = "AFTERWORD_"
    /// The file itself cannot be named in the file.
    static let configVariable = "AFTERWORD_CONFIG"

    var flag: String { "--" + rawValue }

    var variable: String {
        Self.environmentPrefix + rawValue.uppercased().replacing("-", with: "_")
    }
}

/// Where a setting's value comes from; an earlier case wins over a later one.
enum SettingSource: Equatable, Sendable {
    case flag
    case environment
    case file(String)
    case standard

    var name: String {
        switch self {
        case .flag: "flag"
        case .environment: "environment"
        case .file: "file"
        case .standard: "default"
        }
    }
}
