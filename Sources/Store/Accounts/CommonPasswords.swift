import Cryptography
import Domain
import Foundation

/// The common passwords that have at least the minimum length.
///
/// They are read from the installed data file of a Debian package: nothing has to be extracted during the build, and
/// updates arrive through `apt`. Of the lists in Debian whose license allows it, this one has the most passwords with
/// at least ten characters: 3,004. ASVS 5.0 (6.2.4) requires 3,000. None of the package's code runs.
public struct CommonPasswords: Sendable {
    public static let path = "/usr/share/perl5/Data/Password/zxcvbn/RankedDictionaries/Common.pm"
    public static let package = "libdata-password-zxcvbn-perl"

    /// Read when the first password is checked. Empty without the package, which `doctor` reports.
    public static let installed = CommonPasswords(path: path)

    private let passwords: Set<String>

    /// Reads the lines of the form `'password' => 123,`. Empty if the file cannot be read.
    public init(path: String) {
        let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        let end = Data("' => ".utf8)
        passwords = bytes.split(separator: UInt8(ascii: "\n")).reduce(into: []) { passwords, line in
            let entry = line.drop { $0 == UInt8(ascii: " ") }
            guard entry.first == UInt8(ascii: "'"), let close = entry.range(of: end)?.lowerBound else { return }
            let password = String(decoding: entry[(entry.startIndex + 1)..<close], as: UTF8.self)
            if password.count >= PasswordRules.minCharacters { passwords.insert(password.lowercased()) }
        }
    }

    public var count: Int { passwords.count }

    /// - Parameter password: In lower case.
    public func contains(_ password: String) -> Bool { passwords.contains(password) }
}

extension PasswordRules {
    /// The rules of the service, wherever a person chooses a password.
    public static let standard = PasswordRules(maxBytes: PasswordHash.maximumBytes) { password in
        CommonPasswords.installed.contains(password)
    }
}
