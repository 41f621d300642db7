/// One setting, by its name in the settings file. The flag and the environment variable are derived from it.
enum Setting: String, CaseIterable, Sendable {
    case host
    case port
    case healthPort = "health-port"
    case publicURL = "public-url"
    case databaseURL = "database-url"
    case poolerURL = "pooler-url"
    case replicaURL = "replica-url"
    case workerURLs = "worker-urls"
    case data
    case secretFile = "secret-file"
    case logLevel = "log-level"
    case logFormat = "log-format"
    case poolSize = "pool-size"
    case intakeConnections = "intake-connections"
    case intakeBound = "intake-bound"
    case connectionsPerAddress = "connections-per-address"
    case viewersPerAddress = "viewers-per-address"
    case trashDays = "trash-days"
    case retentionDays = "retention-days"
    case signUp = "sign-up"
    case smtp
    case smtpPasswordFile = "smtp-password-file"
    case sendmail
    case mailFrom = "mail-from"
    case trustedProxies = "trusted-proxies"
    case webhooksToPrivate = "webhooks-to-private"
    case webhookHosts = "webhook-hosts"
    case frameAncestors = "frame-ancestors"

    static let environmentPrefix = "AFTERWORD_"
    /// The variable that names the settings file. It has no key in the settings file.
    static let configVariable = "AFTERWORD_CONFIG"

    var flag: String { "--" + rawValue }

    var variable: String {
        Self.environmentPrefix + rawValue.uppercased().replacing("-", with: "_")
    }
}

/// The source of a setting's value. Earlier cases override later ones.
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
