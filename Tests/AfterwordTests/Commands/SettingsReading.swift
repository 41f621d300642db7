import Domain
import Mail
import Store
import TestSupport
import Testing

@testable import afterword

@Suite struct SettingsReading {
    private func settings(
        flags: [Setting: String] = [:], config: String? = nil, environment: [String: String] = [:]
    ) throws -> Settings {
        try Settings(
            SettingTexts(
                flags: flags, config: config, environment: environment, defaults: Settings.defaults(isRoot: false)))
    }

    private func refusal(
        flags: [Setting: String] = [:], file: String? = nil, environment: [String: String] = [:]
    ) throws -> Failure? {
        let folder = try TemporaryFolder()
        let config = try file.map { try folder.write($0, to: "a.yaml") }
        do {
            _ = try settings(flags: flags, config: config, environment: environment)
            return nil
        } catch let failure as Failure {
            return Failure(failure.sentence.replacing(folder.path + "/", with: ""), status: failure.status)
        }
    }

    @Test func retentionHasDefaultsAndBounds() throws {
        #expect(try settings().retention == RetentionSettings(trashDays: 30, limitDays: nil))
        let chosen = try settings(flags: [.trashDays: "3", .retentionDays: "365"]).retention
        #expect(chosen == RetentionSettings(trashDays: 3, limitDays: 365))
        #expect(try settings(flags: [.retentionDays: "none"]).retention.limitDays == nil)
        for (setting, text) in [
            (Setting.trashDays, "0"), (.trashDays, "3651"), (.trashDays, "none"), (.retentionDays, "6"),
            (.retentionDays, "3651"), (.retentionDays, "year"),
        ] {
            #expect(throws: Failure.self, "\(setting) \(text)") { try settings(flags: [setting: text]) }
        }
    }

    @Test func flagPrecedesTheEnvironmentWhichPrecedesTheFile() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write("port: 1\nhost: file.example\ndata: /file\n", to: "a.yaml")
        let environment = ["AFTERWORD_PORT": "2", "AFTERWORD_HOST": "environment.example", "PATH": "/bin"]
        let settings = try settings(flags: [.port: "3"], config: config, environment: environment)
        #expect(settings.port == 3)
        #expect(settings.host == "environment.example")
        #expect(settings.data == "/file")
        #expect(settings.poolSize == 8)
        let sources = Dictionary(uniqueKeysWithValues: settings.overview.map { ($0.setting, $0.source) })
        #expect(sources[.port] == .flag)
        #expect(sources[.host] == .environment)
        #expect(sources[.data] == .file(config))
        #expect(sources[.poolSize] == .standard)
    }

    @Test func fileMayBeJSONAndNamedByTheEnvironment() throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(#"{"port": 81, "public-url": "https://a.example/"}"#, to: "a.json")
        let settings = try settings(environment: ["AFTERWORD_CONFIG": config])
        #expect(settings.port == 81)
        #expect(settings.publicURL == "https://a.example")
    }

    @Test func secretFileIsInTheDataFolderByDefault() throws {
        #expect(try settings(flags: [.data: "/d"]).secretFile == "/d/secret")
        #expect(try settings(flags: [.data: "/d", .secretFile: "/s"]).secretFile == "/s")
    }

    @Test(arguments: [
        ("https://feedback.example.org/x", "afterword@feedback.example.org"),
        ("http://192.0.2.7:8080", "afterword@localhost"), ("http://[2001:db8::1]", "afterword@localhost"),
        ("http://hall", "afterword@hall"),
    ])
    func senderAddressUsesThePublicHost(url: String, sender: String) throws {
        #expect(try settings(flags: [.publicURL: url]).mailFrom.text == sender)
        #expect(try settings(flags: [.publicURL: url, .mailFrom: "a@b.example"]).mailFrom.text == "a@b.example")
    }

    @Test func logIsTextByDefault() throws {
        #expect(try settings().logFormat == .text)
        #expect(try settings(environment: ["AFTERWORD_LOG_FORMAT": "json"]).logFormat == .json)
        let folder = try TemporaryFolder()
        let config = try folder.write("log-format: json\n", to: "a.yaml")
        #expect(try settings(config: config).logFormat == .json)
        #expect(try settings(flags: [.logFormat: "text"], config: config).logFormat == .text)
    }

    @Test func signUpIsOffByDefault() throws {
        let defaults = try settings()
        #expect(!defaults.allowsSignUp && defaults.trustedProxies == 0 && defaults.sendmail == .system)
        let settings = try settings(flags: [.signUp: "on", .trustedProxies: "2", .sendmail: "none"])
        #expect(settings.allowsSignUp && settings.trustedProxies == 2 && settings.sendmail.resolved == .folder)
    }

    @Test func poolerNeedsADatabase() throws {
        let (direct, pooler) = ("postgres://a@db/x", "postgres://b:masked-word@db:6432/x")
        #expect(try settings().poolerURL == nil)
        let both = try settings(flags: [.databaseURL: direct, .poolerURL: pooler])
        #expect(both.poolerURL == pooler && !both.overview.contains { $0.text.contains("masked-word") })
        let failure = #expect(throws: Failure.self) { try settings(flags: [.poolerURL: pooler]) }
        #expect(failure?.sentence.contains("--pooler-url needs --database-url") == true)
    }

    @Test func workersNeedADatabase() throws {
        let (direct, workers) = ("postgres://a@db/x", ["postgres://a:masked-word@w1/x", "postgresql://a@w2,w3/x"])
        #expect(try settings().workerURLs.isEmpty)
        let text = workers.joined(separator: "  ")
        let both = try settings(flags: [.databaseURL: direct, .workerURLs: text])
        #expect(both.workerURLs == workers && !both.overview.contains { $0.text.contains("masked-word") })
        let failure = #expect(throws: Failure.self) { try settings(flags: [.workerURLs: text]) }
        #expect(failure?.sentence.contains("--worker-urls needs --database-url") == true)
        // A `key=value` string has spaces itself.
        for invalid in [" ", "host=w1 user=a", "w1"] {
            #expect(throws: Failure.self) { try settings(flags: [.databaseURL: direct, .workerURLs: invalid]) }
        }
    }

    @Test func privateWebhooksAreOffByDefault() throws {
        #expect(try !settings().webhooksToPrivate)
        #expect(try settings(flags: [.webhooksToPrivate: "on"]).webhooksToPrivate)
        #expect(try settings().webhookHosts == nil)
        let hosts = try settings(flags: [.webhookHosts: "Hooks.example.org  *.example.com"]).webhookHosts
        #expect(hosts == ["hooks.example.org", "*.example.com"])
    }

    @Test func embeddingFormsIsOffByDefault() throws {
        #expect(try settings().frameAncestors.isEmpty)
        #expect(try settings(flags: [.frameAncestors: "none"]).frameAncestors.isEmpty)
        let sites = ["https://wiki.example.org", "https://*.example.org:8443", "http://localhost:*"]
        let named = try settings(flags: [.frameAncestors: sites.joined(separator: " ")])
        #expect(named.frameAncestors == sites)
    }

    @Test func oneAddressMayUseThreeQuartersOfTheLimitsByDefault() throws {
        let defaults = try settings()
        #expect(
            defaults.clientLimits(connections: 100)
                == ClientLimits(connections: 100, connectionsPerAddress: 75, viewers: 75, viewersPerAddress: 56))
        let texts = Dictionary(uniqueKeysWithValues: defaults.overview.map { ($0.setting, $0.text) })
        #expect(texts[.connectionsPerAddress] == "three quarters of all")
        #expect(texts[.viewersPerAddress] == "three quarters of all")
    }

    @Test func limitsOfOneAddressAreChosenOrOff() throws {
        let flags: [Setting: String] = [.connectionsPerAddress: "20", .viewersPerAddress: "10"]
        let chosen = try settings(flags: flags).clientLimits(connections: 100)
        #expect(chosen.connectionsPerAddress == 20 && chosen.viewersPerAddress == 10)
        #expect(chosen.sentence == "One client address may have 20 connections and 10 event streams.")
        let off = try settings(flags: [.connectionsPerAddress: "0", .viewersPerAddress: "0"])
        #expect(off.clientLimits(connections: 100) == ClientLimits(connections: 100, viewers: 75))
        #expect(off.overview.contains { $0.setting == .connectionsPerAddress && $0.text == "0" })
        // All connections come from the proxy. The address of a viewer is in a header of its request.
        let proxied = try settings(flags: flags.merging([.trustedProxies: "1"]) { $1 }).clientLimits(connections: 100)
        #expect(proxied.connectionsPerAddress == nil && proxied.viewersPerAddress == 10)
        #expect(proxied.sentence == "One client address may have all connections and 10 event streams.")
    }

    @Test func rootUsesTheDataFolderOfTheSystem() {
        #expect(Settings.defaults(isRoot: true)[.data] == "/var/lib/afterword")
        #expect(Settings.defaults(isRoot: false)[.data] == "./.afterword")
    }

    @Test(arguments: [
        (Setting.port, "x"), (.port, "65536"), (.port, "-1"), (.port, "80.0"), (.healthPort, "65536"),
        (.healthPort, "none"), (.port, ""), (.host, "a b"),
        (.publicURL, "feedback.example.org"), (.publicURL, "ftp://a.example"), (.publicURL, "https://a.example/?q=1"),
        (.databaseURL, "localhost"), (.poolerURL, "localhost"),
        (.logLevel, "loud"), (.logFormat, "xml"), (.logFormat, "JSON"), (.poolSize, "0"),
        (.intakeConnections, "65"),
        (.intakeBound, "many"), (.connectionsPerAddress, "-1"), (.connectionsPerAddress, ""),
        (.connectionsPerAddress, "most"), (.viewersPerAddress, "1000001"), (.viewersPerAddress, "0.75"), (.data, ""),
        (.signUp, "yes"), (.sendmail, "sendmail"), (.smtp, "smtp.example.org"), (.mailFrom, "a,b@example.org"),
        (.mailFrom, "nobody"), (.trustedProxies, "11"), (.trustedProxies, "-1"),
        (.webhooksToPrivate, "yes"), (.webhookHosts, "https://example.org"), (.webhookHosts, "*"),
        (.frameAncestors, "wiki.example.org"), (.frameAncestors, "https://a;script-src *"),
        (.frameAncestors, "'self'"), (.frameAncestors, "https://a.example/path"), (.frameAncestors, "https://"),
        (.frameAncestors, "https://a.example:99999"), (.frameAncestors, "*"), (.frameAncestors, " "),
    ])
    func invalidValueIsNamed(setting: Setting, text: String) throws {
        let verb = text.isEmpty ? "is " : "has "
        let byFlag = try #require(try refusal(flags: [setting: text]))
        #expect(byFlag.status == .misuse)
        #expect(byFlag.sentence.hasPrefix("\(setting.flag) \(verb)"))
        let byVariable = try #require(try refusal(environment: [setting.variable: text]))
        #expect(byVariable.sentence.hasPrefix("\(setting.variable) \(verb)"))
        let byFile = try #require(try refusal(file: "\(setting.rawValue): \"\(text)\"\n"))
        #expect(byFile.sentence.hasPrefix("\(setting.rawValue) in a.yaml \(verb)"))
    }

    @Test func smtpServerNeedsThePasswordOfItsUserAndNoSendmail() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("secret\n", to: "password")
        let plain = try settings(flags: [.smtp: "smtp://mail:1025?tls=off"])
        #expect(plain.smtp?.text == "smtp://mail:1025?tls=off")
        let full = try settings(flags: [.smtp: "smtps://user@smtp.example.org", .smtpPasswordFile: file])
        #expect(try full.smtpTransport() != nil)
        let contradictions: [[Setting: String]] = [
            [.smtp: "smtps://user@smtp.example.org"], [.smtp: "smtps://smtp.example.org", .smtpPasswordFile: file],
            [.smtpPasswordFile: file], [.smtp: "smtps://smtp.example.org", .sendmail: "none"],
        ]
        for flags in contradictions {
            let failure = try #require(try refusal(flags: flags))
            #expect(failure.status == .misuse && failure.sentence.hasPrefix("--smtp"))
        }
        // A URL with a password is refused, and the password is not repeated.
        let exposed = try #require(try refusal(flags: [.smtp: "smtps://user:hunter2@smtp.example.org"]))
        #expect(exposed.sentence.hasPrefix("--smtp has an invalid value") && !exposed.sentence.contains("hunter2"))
        for ending in ["", "\n", "\r\n", "\r\nanother line"] {
            let path = try folder.write("pass word" + ending, to: "ended")
            let ended = try settings(flags: [.smtp: "smtps://user@smtp.example.org", .smtpPasswordFile: path])
            #expect(try ended.smtpPassword() == "pass word")
        }
        for path in [folder / "missing", try folder.write("\n", to: "empty")] {
            let broken = try settings(flags: [.smtp: "smtps://user@smtp.example.org", .smtpPasswordFile: path])
            #expect(throws: Failure.self) { try broken.smtpTransport() }
        }
    }

    @Test(arguments: [
        ("prot: 8080", "prot in a.yaml is not a setting; expected one of host, port,"),
        ("port: 1\nport: 2", "port is given twice in a.yaml."),
        ("port: [1, 2]", "port in a.yaml must be a single value."),
        ("- port", "The settings file a.yaml must contain lines such as `port: 8080`."),
        ("port: \"8080", "The settings file a.yaml is neither YAML nor JSON (line "),
    ])
    func invalidFileIsRefusedWithItsFault(text: String, sentence: String) throws {
        let failure = try #require(try refusal(file: text))
        #expect(failure.status == .misuse)
        #expect(failure.sentence.hasPrefix(sentence), "\(failure.sentence)")
    }

    @Test func emptyFileSetsNothing() throws {
        #expect(try refusal(file: "") == nil)
        #expect(try refusal(file: "# nothing yet\n") == nil)
    }

    @Test func missingFileIsRefused() throws {
        let folder = try TemporaryFolder()
        #expect(throws: Failure.self) { try settings(config: folder / "missing.yaml") }
    }

    @Test func unknownAfterwordVariableIsRefused() throws {
        let failure = try #require(try refusal(environment: ["AFTERWORD_PROT": "1"]))
        #expect(failure.sentence.contains("AFTERWORD_PROT"))
        #expect(failure.status == .misuse)
    }

    @Test func databaseURLIsNeverQuoted() throws {
        let failure = try #require(try refusal(environment: ["AFTERWORD_DATABASE_URL": "mysql://u:geheim@h/d"]))
        #expect(!failure.sentence.contains("geheim"))
        let settings = try settings(flags: [.databaseURL: "postgres://u:geheim@h/d"])
        #expect(!settings.overview.contains { $0.text.contains("geheim") })
    }

    @Test(arguments: [
        ("postgres://u@h:5432/d", "postgres://u@h:5432/d"),
        ("postgres://u:se@c:r/et@h/d?sslmode=require", "postgres://u:****@h/d?sslmode=require"),
        (
            "postgresql:///d?host=/run&user=u&password=se%20cret&port=1",
            "postgresql:///d?host=/run&user=u&password=****&port=1"
        ),
        ("host=h password='se cr\\'et' dbname=d", "host=h password=**** dbname=d"),
        ("host=h PASSWORD = secret dbname=d", "host=h PASSWORD = **** dbname=d"),
        ("postgres://h/d?sslpassword=secret", "postgres://h/d?sslpassword=****"),
    ])
    func passwordIsMasked(url: String, shown: String) {
        #expect(DatabaseURL.masked(url) == shown)
    }

    @Test func shownAddressCanBeOpenedInABrowser() {
        #expect(Settings.address(host: "127.0.0.1", port: 80) == "http://127.0.0.1:80")
        #expect(Settings.address(host: "0.0.0.0", port: 80) == "http://localhost:80")
        #expect(Settings.address(host: "::1", port: 80) == "http://[::1]:80")
    }
}
