import Cryptography
import Foundation

/// The numbered keys of the secret file, which is never stored in the database. Ids, receipts and tokens are derived
/// from them.
public struct KeyRing: Sendable {
    public enum Failure: Error, Sendable, CustomStringConvertible {
        case unreadable(path: String, reason: String)
        case malformed(path: String, line: Int)
        case empty(path: String)
        /// The key with this number differs from the database's.
        case wrongKey(number: Int)
        case missingKey(number: Int)
        /// The database has no check value of any key.
        case unusedDatabase

        public var description: String {
            switch self {
            case .unreadable(let path, let reason):
                "The secret file \(path) cannot be read: \(reason)"
            case .malformed(let path, let line):
                "Line \(line) of the secret file \(path) is not a number followed by a key of 32 bytes in base64url."
            case .empty(let path):
                "The secret file \(path) contains no key. Restore it from a backup."
            case .wrongKey(let number):
                "Key \(number) of the secret file is not the key with which this database was created. "
                    + "Use the secret file that belongs to this database. Another key would change ids and receipts."
            case .missingKey(let number):
                "The database was used with key \(number), which the secret file does not contain. "
                    + "Use the secret file that belongs to this database."
            case .unusedDatabase:
                "No service has used this database with a secret file yet: start `afterword serve` first."
            }
        }
    }

    /// The keys, which all copies of a ring share.
    private let keys: SharedKeys
    /// The number of the key that new forms use.
    public let newest: Int

    /// - Parameter keys: Keys of 32 bytes, by number.
    public init?(keys: [Int: [UInt8]]) {
        self.init(keys: keys, path: nil)
    }

    private init?(keys: [Int: [UInt8]], path: String?) {
        guard let newest = keys.keys.max() else { return nil }
        self.keys = SharedKeys(keys, path: path)
        self.newest = newest
    }

    public var numbers: [Int] { keys.numbers }

    func key(_ number: Int) throws -> [UInt8] {
        guard let key = keys[number] else { throw Failure.missingKey(number: number) }
        return key
    }

    /// The purposes of keys that do not belong to a single form. Such a key is the same for all instances with the same
    /// secret file, and after a restart.
    public enum ServiceKey: String, Sendable {
        /// Binds the HTML forms of pages to the session or browser that they were rendered for.
        case csrf = "afterword/1/csrf"
        /// Hashes client addresses for the log.
        case loggedAddress = "afterword/1/logged-address"
        /// Hashes accounts and addresses for the counts of attempts.
        case attempts = "afterword/1/attempts"
        /// Authenticates backups.
        case backup = "afterword/1/backup"
    }

    /// Returns a key for the purpose, derived from the key with this number, or from the newest one.
    public func key(for purpose: ServiceKey, number: Int? = nil) throws -> [UInt8] {
        HKDF.sha256(key: try key(number ?? newest), salt: [], info: purpose.rawValue)
    }

    /// Returns the value that the database stores to recognize a key. It reveals nothing about the key.
    func checkValue(_ number: Int) throws -> [UInt8] {
        HMACSHA256.authenticate(Array("afterword/1/check".utf8), key: try key(number))
    }

    /// Returns why a database with these check values cannot be used with these keys; nil if it can.
    public func refusal(byCheckValues values: [Int: [UInt8]]) throws -> Failure? {
        for (number, value) in values.sorted(by: { $0.key < $1.key }) {
            guard numbers.contains(number) else { return .missingKey(number: number) }
            guard try checkValue(number) == value else { return .wrongKey(number: number) }
        }
        return nil
    }

    /// Reads the file. If it does not exist, creates it with mode 0600 and one new key.
    public static func loadOrCreate(path: String) throws -> KeyRing {
        if !FileManager.default.fileExists(atPath: path) { try create(path: path) }
        return try load(path: path)
    }

    /// Reads a file whose lines have the form `number key`. Lines that start with `#` are comments.
    ///
    /// Keys that are added to the file later are read when they are first needed, so that a rotation does not disturb
    /// running instances. `newest` stays as it is.
    public static func load(path: String) throws -> KeyRing {
        guard let ring = KeyRing(keys: try read(path), path: path) else { throw Failure.empty(path: path) }
        return ring
    }

    /// Reads the keys in a file, by number.
    static func read(_ path: String) throws(Failure) -> [Int: [UInt8]] {
        let text: String
        do {
            text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw Failure.unreadable(path: path, reason: (error as NSError).localizedDescription)
        }
        var keys: [Int: [UInt8]] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            if words.isEmpty || line.hasPrefix("#") { continue }
            guard words.count == 2, let number = Int(words[0]), number >= 1, keys[number] == nil,
                let key = Base64URL.decode(String(words[1])), key.count == 32
            else { throw Failure.malformed(path: path, line: index + 1) }
            keys[number] = key
        }
        return keys
    }

    private static func create(path: String) throws(Failure) {
        let text = """
            # Afterword: keys for ids and receipts. Keep a copy, separately from the database's backups.
            1 \(Base64URL.encode(RandomBytes.make(32)))

            """
        // If two instances start at the same time, only one of them creates the file, and neither reads an incomplete
        // one.
        do {
            try SecretDraft.write(text, for: path).complete(replacing: false)
        } catch {
            throw Failure.unreadable(path: path, reason: error.reason)
        }
    }
}
