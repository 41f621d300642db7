import Domain
import StrictJSON
import Testing

/// The rules for new passwords.
@Suite struct PasswordChecks {
    private static let rules = PasswordRules(maxBytes: 1_024) {
        ["password12", "qwertyuiop", "пароль1234"].contains($0)
    }

    private static func weakness(
        of password: String, for address: String? = "Ann.Smith7@Example.org"
    ) -> PasswordRules.Weakness? {
        rules.weakness(of: password, for: address.flatMap { EmailAddress($0) })
    }

    @Test(arguments: [
        "correct horse battery", "a long password", "an even better one", "password 0", "пароль для себя",
        "비밀번호는 길게 씁니다",
        "password12 and more", "qwertyuiop?", "ann.smithsonian", "anna.smith7", String(repeating: "x", count: 1_024),
    ])
    func longUncommonPasswordsAreAccepted(password: String) {
        #expect(Self.weakness(of: password) == nil)
    }

    @Test func lengthIsCountedInCharactersAndInBytes() {
        #expect(Self.weakness(of: "") == .tooShort && Self.weakness(of: "nine char") == .tooShort)
        // A family is one character of 25 bytes.
        #expect(Self.weakness(of: String(repeating: "👨‍👩‍👧‍👦", count: 9)) == .tooShort)
        #expect(Self.weakness(of: String(repeating: "👨‍👩‍👧‍👦", count: 10)) == nil)
        #expect(Self.weakness(of: String(repeating: "x", count: 1_025)) == .tooLong)
        #expect(Self.weakness(of: String(repeating: "é", count: 513)) == .tooLong)
    }

    @Test(arguments: [String(repeating: " ", count: 10), "\u{a0}\u{3000}\t\t\n\n      ", "\u{2003}          "])
    func whiteSpaceAloneIsBlank(password: String) {
        #expect(Self.weakness(of: password) == .blank)
    }

    @Test(arguments: [
        "ann.smith7@example.org", "ANN.SMITH7@EXAMPLE.ORG", "  ann.smith7@example.org ", "ann.smith7@example.org1!",
        "ann.smith7", "Ann.Smith7", "ann.smith7!", "ann.smith72026", "Ann.Smith7 !? 99", "ann.smith7€–",
    ])
    func ownAddressIsRefusedEvenWithDigitsAndSigns(password: String) {
        #expect(Self.weakness(of: password) == .ownAddress)
        #expect(Self.weakness(of: password, for: "bob@example.org") == nil, "another account may use the address")
        #expect(Self.weakness(of: password, for: nil) == nil)
    }

    @Test func accentsAndOtherScriptsAreFoldedLikeAddresses() {
        #expect(Self.weakness(of: "ÉLODIE.DUPRÉ12", for: "élodie.dupré@example.org") == .ownAddress)
        #expect(Self.weakness(of: "ИВАНОВИЧ2026", for: "иванович@example.org") == .ownAddress)
    }

    @Test(arguments: ["password12", "PassWord12", " qwertyuiop ", "ПАРОЛЬ1234"])
    func commonPasswordsAreRefusedInAnyCase(password: String) {
        #expect(Self.weakness(of: password) == .common)
    }

    @Test func nameOfTheProgramIsCommon() {
        for password in ["afterword2026", "Afterword!!", "AFTERWORD 1"] {
            #expect(Self.weakness(of: password) == .common, "\(password)")
        }
        #expect(Self.weakness(of: "afterwords and more") == nil)
    }

    @Test func faultNamesTheFieldAndTheRule() {
        for (password, code) in [
            ("short", "too-short"), ("          ", "blank"), ("ann.smith7!", "own-address"),
            ("password12", "common-password"),
        ] {
            let reader = ObjectReader(.object([.init("password", .string(password))]))
            let address = EmailAddress("ann.smith7@example.org")
            #expect(reader.requiredNewPassword("password", for: address, by: Self.rules) == nil)
            let faults = reader.finish()
            #expect(faults.map(\.code) == [code] && faults.map(\.pointer) == ["/password"])
            #expect(faults.allSatisfy { $0.kind == .invalid && $0.detail.hasSuffix(".") })
        }
        let missing = ObjectReader(.object([]))
        #expect(missing.requiredNewPassword("password", for: nil, by: Self.rules) == nil)
        #expect(missing.finish().map(\.code) == ["required"])
    }
}
